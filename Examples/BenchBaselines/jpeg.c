// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf escape;
} failure;

static void escape(j_common_ptr info) { longjmp(((failure *)info->err)->escape, 1); }
static void stay_silent(j_common_ptr info, int level) { (void)info; (void)level; }

static struct jpeg_error_mgr *prepare(failure *failure) {
    struct jpeg_error_mgr *manager = jpeg_std_error(&failure->manager);
    manager->error_exit = escape;
    manager->emit_message = stay_silent;
    return manager;
}

/// Smooth colour with edges and a little noise: compresses like a photograph.
static void paint_row(unsigned char *row, int width, int y, uint32_t *noise) {
    for (int x = 0; x < width; x++) {
        *noise = *noise * 1664525u + 1013904223u;
        int grain = (int)(*noise >> 28) - 8;
        int ring = (((x >> 6) * (x >> 6) + (y >> 6) * (y >> 6)) >> 3) & 31;
        int red = (x >> 4) + ring + grain, green = (y >> 4) + 2 * ring + grain, blue = ((x + y) >> 5) + grain + 40;
        row[3 * x] = (unsigned char)(red < 0 ? 0 : red & 255);
        row[3 * x + 1] = (unsigned char)(green < 0 ? 0 : green & 255);
        row[3 * x + 2] = (unsigned char)(blue < 0 ? 0 : blue & 255);
    }
}

unsigned char *bench_jpeg_make(int width, int height, int quality, size_t *count) {
    struct jpeg_compress_struct info;
    failure failure;
    // Changed after `setjmp`, read after `longjmp`: volatile.
    unsigned char *volatile row = malloc((size_t)width * 3);
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    *count = 0;
    if (!row) return NULL;
    info.err = prepare(&failure);
    if (setjmp(failure.escape)) {
        jpeg_destroy_compress(&info);
        free(row);
        return NULL;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &bytes, &length);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    jpeg_start_compress(&info, TRUE);
    uint32_t noise = 1;
    while (info.next_scanline < info.image_height) {
        JSAMPROW line = row;
        paint_row(row, width, (int)info.next_scanline, &noise);
        jpeg_write_scanlines(&info, &line, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    free(row);
    *count = length;
    return bytes;
}

size_t bench_jpeg_decode(const unsigned char *bytes, size_t count, int divisor) {
    struct jpeg_decompress_struct info;
    failure failure;
    unsigned char *volatile pixels = NULL;
    info.err = prepare(&failure);
    if (setjmp(failure.escape)) {
        jpeg_destroy_decompress(&info);
        free(pixels);
        return 0;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_RGBA;
    info.scale_num = 1;
    info.scale_denom = (unsigned)divisor;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4, total = (size_t)info.output_width * info.output_height;
    pixels = malloc(stride * info.output_height);
    if (!pixels) escape((j_common_ptr)&info);
    while (info.output_scanline < info.output_height) {
        JSAMPROW line = pixels + stride * info.output_scanline;
        jpeg_read_scanlines(&info, &line, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    bench_black_hole(pixels);
    free(pixels);
    return total;
}

// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned char *bytes;
    size_t count;
    size_t capacity;
} output;

static void append(png_structp codec, png_bytep bytes, size_t count) {
    output *out = png_get_io_ptr(codec);
    if (out->capacity - out->count < count) {
        out->capacity = (out->count + count) * 2;
        out->bytes = realloc(out->bytes, out->capacity);
        if (!out->bytes) abort();
    }
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static void flush(png_structp codec) { (void)codec; }

unsigned char *bench_png_make(int width, int height, size_t *count) {
    unsigned char *pixels = malloc((size_t)width * height * 3);
    png_bytep *rows = malloc(sizeof(png_bytep) * height);
    if (!pixels || !rows) abort();
    uint32_t noise = 1;
    for (int y = 0; y < height; y++) {
        rows[y] = pixels + (size_t)y * width * 3;
        for (int x = 0; x < width; x++) {
            noise = noise * 1664525 + 1013904223;
            rows[y][x * 3] = (unsigned char)((long)x * 220 / width + (noise >> 27));
            rows[y][x * 3 + 1] = (unsigned char)((long)y * 220 / height);
            rows[y][x * 3 + 2] = (unsigned char)(x ^ y);
        }
    }
    output out = {0};
    // Without an error function libpng ends the process, which is right for a benchmark.
    png_structp codec = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(codec);
    png_set_write_fn(codec, &out, append, flush);
    png_set_compression_level(codec, 1);
    png_set_IHDR(
        codec, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_write_info(codec, info);
    png_write_image(codec, rows);
    png_write_end(codec, NULL);
    png_destroy_write_struct(&codec, &info);
    free(rows);
    free(pixels);
    *count = out.count;
    return out.bytes;
}

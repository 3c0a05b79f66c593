// SPDX-License-Identifier: MIT
#include "bytes.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <png.h>

/// Lives in the frame below the one that calls `setjmp`, so its values are good after a `longjmp`.
typedef struct encoding {
    png_structp codec;
    png_infop info;
    const swi_png_encode_request *request;
    swi_bytes *output;
    swi_failure *failure;
    int status;
} encoding;

static void on_error(png_structp codec, png_const_charp message) {
    encoding *job = png_get_error_ptr(codec);
    snprintf(job->failure->message, sizeof job->failure->message, "%s", message);
    png_longjmp(codec, 1);
}

static void on_warning(png_structp codec, png_const_charp message) {
    (void)codec;
    (void)message;
}

static void on_write(png_structp codec, png_bytep from, size_t count) {
    encoding *job = png_get_io_ptr(codec);
    if (swi_bytes_append(job->output, from, count)) {
        job->status = SWI_NO_MEMORY;
        png_error(codec, "out of memory");
    }
}

static void on_flush(png_structp codec) {
    (void)codec;
}

static void write_all(encoding *job, const uint8_t *rgba) {
    png_structp codec = job->codec;
    const swi_png_encode_request *request = job->request;
    if (setjmp(png_jmpbuf(codec))) return;

    png_set_user_limits(codec, 0x7fffffff, 0x7fffffff);
    png_set_write_fn(codec, job, on_write, on_flush);
    png_set_compression_level(codec, request->level);
    int colours = request->palette ? request->palette_count : 0;
    int depth = !colours || colours > 16 ? 8 : colours > 4 ? 4 : colours > 2 ? 2 : 1;
    int type = colours ? PNG_COLOR_TYPE_PALETTE : request->has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
    png_set_IHDR(
        codec, job->info, request->width, request->height, depth, type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (colours) {
        png_set_PLTE(codec, job->info, (png_const_colorp)request->palette, colours);
        png_byte alpha[256];
        memset(alpha, 255, sizeof alpha);
        if (request->transparent >= 0 && request->transparent < colours) {
            alpha[request->transparent] = 0;
            png_set_tRNS(codec, job->info, alpha, request->transparent + 1, NULL);
        }
    }
    png_write_info(codec, job->info);
    if (colours)
        png_set_packing(codec);
    else if (!request->has_alpha)
        png_set_filler(codec, 0, PNG_FILLER_AFTER);
    size_t row = (size_t)request->width * (colours ? 1 : 4);
    for (uint32_t y = 0; y < request->height; y++) {
        if (request->should_stop && request->should_stop()) {
            job->status = SWI_STOPPED;
            return;
        }
        png_write_row(codec, rgba + y * row);
    }
    png_write_end(codec, NULL);
    job->status = SWI_OK;
}

int swi_png_encode(
    const uint8_t *rgba, const swi_png_encode_request *request, swi_bytes *output, swi_failure *failure
) {
    encoding job = {.request = request, .output = output, .failure = failure, .status = SWI_UNSUPPORTED};
    job.codec = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    if (job.codec) job.info = png_create_info_struct(job.codec);
    if (job.info)
        write_all(&job, rgba);
    else
        job.status = SWI_NO_MEMORY;
    png_destroy_write_struct(&job.codec, &job.info);
    if (job.status != SWI_OK) swi_bytes_free(output);
    return job.status;
}

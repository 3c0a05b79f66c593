#include "CImageShims.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <png.h>

/// Lives in the frame below the one that calls `setjmp`, so its values are good after a `longjmp`.
typedef struct decoding {
    png_structp codec;
    png_infop info;
    const uint8_t *next;
    size_t left;
    const swi_png_decode_request *request;
    swi_failure *failure;
    int status;
} decoding;

static void on_error(png_structp codec, png_const_charp message) {
    decoding *job = png_get_error_ptr(codec);
    snprintf(job->failure->message, sizeof job->failure->message, "%s", message);
    if (strcmp(message, "Out of memory") == 0) job->status = SWI_NO_MEMORY;
    png_longjmp(codec, 1);
}

static void on_warning(png_structp codec, png_const_charp message) {
    (void)codec;
    (void)message;
}

static void on_read(png_structp codec, png_bytep into, size_t count) {
    decoding *job = png_get_io_ptr(codec);
    if (count > job->left) {
        job->status = SWI_TRUNCATED;
        png_error(codec, "the file ends early");
    }
    memcpy(into, job->next, count);
    job->next += count;
    job->left -= count;
}

static void draw(decoding *job, uint8_t *rgba) {
    png_structp codec = job->codec;
    const swi_png_decode_request *request = job->request;
    if (setjmp(png_jmpbuf(codec))) return;

    png_set_user_limits(codec, request->width, request->height);
    // Profiles, text and the like are not wanted; unread, they cannot be bombs.
    png_set_keep_unknown_chunks(codec, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_read_fn(codec, job, on_read);
    png_read_info(codec, job->info);
    if (png_get_image_width(codec, job->info) != request->width
        || png_get_image_height(codec, job->info) != request->height)
        png_error(codec, "the headers disagree about the size");

    png_set_expand(codec);
    png_set_strip_16(codec);
    png_set_gray_to_rgb(codec);
    png_set_add_alpha(codec, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(codec);
    png_read_update_info(codec, job->info);
    size_t stride = (size_t)request->width * 4;
    if (png_get_rowbytes(codec, job->info) != stride) png_error(codec, "the rows have an unexpected length");

    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t y = 0; y < request->height; y++) {
            if (y % 16 == 0 && request->should_stop && request->should_stop()) {
                job->status = SWI_STOPPED;
                return;
            }
            png_read_row(codec, rgba + y * stride, NULL);
        }
    }
    png_read_end(codec, NULL);
    job->status = SWI_OK;
}

int swi_png_decode(
    const uint8_t *bytes, size_t count, const swi_png_decode_request *request, uint8_t *rgba, swi_failure *failure
) {
    decoding job = {.next = bytes, .left = count, .request = request, .failure = failure, .status = SWI_MALFORMED};
    job.codec = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    if (job.codec) job.info = png_create_info_struct(job.codec);
    if (job.info)
        draw(&job, rgba);
    else
        job.status = SWI_NO_MEMORY;
    png_destroy_read_struct(&job.codec, &job.info, NULL);
    return job.status;
}

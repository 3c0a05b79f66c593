// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <png.h>

/// Lives in the frame below the one that calls `setjmp`, so its values are good after a `longjmp`.
typedef struct decoding {
    png_structp codec;
    png_infop info;
    const swi_decode_request *request;
    swi_failure *failure;
    uint8_t *rgba;
    /// Rows of all passes that are not drawn yet; not zero before the library has read the header.
    size_t rows_left;
    int has_rows;
    /// Pixels drawn since the last look.
    size_t pixels;
    int is_interlaced;
    /// Converts rows of sixteen bits; or none.
    const swi_profile *profile;
    int status;
} decoding;

static void on_error(png_structp codec, png_const_charp message) {
    decoding *job = png_get_error_ptr(codec);
    snprintf(job->failure->message, sizeof job->failure->message, "%s", message);
    if (strcmp(message, "Out of memory") == 0) job->status = SWI_NO_MEMORY;
    png_longjmp(codec, 1);
}

static void on_warning(png_structp codec, png_const_charp message) {
    decoding *job = png_get_error_ptr(codec);
    if (job->request->fail_on > SWI_FAIL_ON_TRUNCATED) png_error(codec, message);
    *job->request->damage |= SWI_CORRUPT_DATA;
}

static void look(decoding *job) {
    if (job->request->look(job->request->context, job->pixels)) {
        job->status = SWI_STOPPED;
        png_error(job->codec, "stopped");
    }
    job->pixels = 0;
}

/// Called by libpng before the first image data.
static void on_info(png_structp codec, png_infop info) {
    decoding *job = png_get_progressive_ptr(codec);
    const swi_decode_request *request = job->request;
    if (png_get_image_width(codec, info) != request->width || png_get_image_height(codec, info) != request->height)
        png_error(codec, "the headers disagree about the size");

    png_set_expand(codec);
    int is_wide = request->profile && swi_profile_pixels(request->profile) == SWI_PIXELS_RGBA_16;
    if (is_wide && png_get_bit_depth(codec, info) == 16) job->profile = request->profile;
    if (!job->profile) png_set_strip_16(codec);
    else if (*(const uint8_t *)&(const uint16_t){1}) png_set_swap(codec);
    png_set_gray_to_rgb(codec);
    png_set_add_alpha(codec, job->profile ? UINT16_MAX : UINT8_MAX, PNG_FILLER_AFTER);
    png_read_update_info(codec, info);
    if (png_get_rowbytes(codec, info) != (size_t)request->width * (job->profile ? 8 : 4))
        png_error(codec, "the rows have an unexpected length");
    job->is_interlaced = png_get_interlace_type(codec, info) == PNG_INTERLACE_ADAM7;
    if (job->is_interlaced && request->drew) png_error(codec, "the headers disagree about interlacing");
    job->rows_left = job->is_interlaced ? 0 : request->height;
    for (int pass = 0; job->is_interlaced && pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
        if (PNG_PASS_COLS(request->width, pass)) job->rows_left += PNG_PASS_ROWS(request->height, pass);
}

/// Converts a row of sixteen bits, in its place.
static void narrow(const decoding *job, png_bytep row, size_t count) {
    enum { at_once = 256 };
    uint8_t pixels[at_once * 4];
    for (size_t x = 0; x < count; x += at_once) {
        size_t now = count - x < at_once ? count - x : at_once;
        swi_profile_convert(job->profile, row + x * 8, pixels, now);
        memcpy(row + x * 4, pixels, now * 4);
    }
}

/// Called by libpng for every row of every pass, with the pixels of that pass alone.
static void on_row(png_structp codec, png_bytep row, png_uint_32 y, int pass) {
    decoding *job = png_get_progressive_ptr(codec);
    const swi_decode_request *request = job->request;
    if (!row || !job->rows_left) return;
    size_t stride = (size_t)request->width * 4;
    size_t count = request->width;
    if (job->is_interlaced) count = PNG_PASS_COLS(request->width, pass);
    if (job->profile) narrow(job, row, count);
    if (job->is_interlaced) {
        uint8_t *line = job->rgba + PNG_ROW_FROM_PASS_ROW(y, pass) * stride;
        for (size_t x = 0; x < count; x++) memcpy(line + 4 * (size_t)PNG_COL_FROM_PASS_COL(x, pass), row + 4 * x, 4);
    } else {
        memcpy(job->rgba + y % request->capacity * stride, row, stride);
        if (request->drew) request->drew(request->rows, (size_t)y + 1);
    }
    job->rows_left--;
    job->has_rows = 1;
    job->pixels += count;
    if (job->pixels >= 1 << 16) look(job);
}

static inline uint32_t number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Passes bytes to the library, in pieces.
static void feed(decoding *job, const uint8_t *bytes, size_t count) {
    static const size_t piece = 1 << 15;
    while (count) {
        look(job);
        size_t now = count < piece ? count : piece;
        // libpng's pointer is not const, but the reader only reads.
        png_process_data(job->codec, job->info, (png_bytep)bytes, now);
        bytes += now;
        count -= now;
    }
}

/// Reads the chunks and gives the library those that pixels depend on.
///
/// The progressive reader stops inflating after the last row; the other reader continues as long as there are data. The
/// progressive reader keeps chunks whole, so it must not get the large ones.
static void draw(decoding *job, const uint8_t *bytes, size_t count) {
    static const size_t signature = 8, frame = 12;
    png_structp codec = job->codec;
    if (setjmp(png_jmpbuf(codec))) return;

    if (job->request->fail_on == SWI_FAIL_NEVER) {
        png_set_crc_action(codec, PNG_CRC_WARN_USE, PNG_CRC_WARN_USE);
        if (!job->request->drew) memset(job->rgba, 0, (size_t)job->request->width * job->request->height * 4);
    }
    png_set_user_limits(codec, job->request->width, job->request->height);
    png_set_progressive_read_fn(codec, job, on_info, on_row, NULL);
    if (count > signature) feed(job, bytes, signature);
    int has_data = 0, is_after_data = 0;
    size_t passed_over = 0;
    for (size_t offset = signature; offset + frame <= count;) {
        const uint8_t *chunk = bytes + offset;
        const char *type = (const char *)chunk + 4;
        size_t length = number(chunk);
        int is_data = !memcmp(type, "IDAT", 4);
        if (length > count - offset - frame) {
            // The rows may be there without what follows them.
            if (is_data && !is_after_data && job->request->fail_on <= SWI_FAIL_ON_TRUNCATED)
                feed(job, chunk, count - offset);
            break;
        }
        int is_end = !memcmp(type, "IEND", 4);
        if (is_data && is_after_data) png_error(codec, "the image data are interrupted");
        if (is_data || is_end || !memcmp(type, "IHDR", 4) || (!memcmp(type, "PLTE", 4) && length <= 768)
            || (!memcmp(type, "tRNS", 4) && length <= 256))
            feed(job, chunk, length + frame);
        else if (!(type[0] & 0x20))
            png_error(codec, "a chunk that is needed is not known");
        else if (++passed_over % 4096 == 0)
            look(job);
        if (is_end) {
            if (job->rows_left) png_error(codec, "not enough image data");
            job->status = SWI_OK;
            return;
        }
        has_data |= is_data;
        is_after_data = has_data && !is_data;
        offset += length + frame;
    }
    job->status = SWI_TRUNCATED;
    if (job->rows_left || job->request->fail_on > SWI_FAIL_ON_TRUNCATED) png_error(codec, "the file ends early");
    *job->request->damage |= SWI_MISSING_END;
    job->status = SWI_OK;
}

int swi_png_decode(
    const uint8_t *bytes, size_t count, const swi_decode_request *request, uint8_t *rgba, swi_failure *failure
) {
    decoding job = {.rgba = rgba, .rows_left = 1, .request = request, .failure = failure, .status = SWI_MALFORMED};
    job.codec = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    if (job.codec) job.info = png_create_info_struct(job.codec);
    if (job.info)
        draw(&job, bytes, count);
    else
        job.status = SWI_NO_MEMORY;
    // The rows that are drawn are a picture, unless the work itself had to end.
    int is_broken = job.status == SWI_TRUNCATED || job.status == SWI_MALFORMED;
    if (is_broken && job.has_rows && request->fail_on == SWI_FAIL_NEVER) {
        *request->damage |= SWI_MISSING_PIXELS | (job.status == SWI_TRUNCATED ? SWI_MISSING_END : SWI_CORRUPT_DATA);
        job.status = SWI_OK;
    }
    png_destroy_read_struct(&job.codec, &job.info, NULL);
    return job.status;
}

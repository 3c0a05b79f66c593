// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <jpeglib.h>
#include <jerror.h>

/// Lives in the frame below the one that calls `setjmp`, so its values are good after a `longjmp`.
typedef struct decoding {
    struct jpeg_decompress_struct codec;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    /// The bytes that the library has not got yet.
    const uint8_t *next;
    size_t left;
    int has_header;
    int is_drawing;
    /// Whether the library got an end that the file does not have.
    int is_past_end;
    /// One bit for each component that a scan had.
    unsigned components;
    const swi_jpeg_decode_request *request;
    swi_failure *failure;
    int status;
} decoding;

static void fail(decoding *job, int status, const char *message) {
    job->status = status;
    snprintf(job->failure->message, sizeof job->failure->message, "%s", message);
    longjmp(job->escape, 1);
}

static void fail_with_library_message(j_common_ptr codec, int status) {
    char message[JMSG_LENGTH_MAX];
    codec->err->format_message(codec, message);
    fail(codec->client_data, status, message);
}

static void on_error(j_common_ptr codec) {
    switch (codec->err->msg_code) {
    case JERR_INPUT_EOF:
    case JERR_INPUT_EMPTY: fail_with_library_message(codec, SWI_TRUNCATED); break;
    case JERR_OUT_OF_MEMORY: fail_with_library_message(codec, SWI_NO_MEMORY); break;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL: fail_with_library_message(codec, SWI_UNSUPPORTED); break;
    default: fail_with_library_message(codec, SWI_MALFORMED);
    }
}

/// Notes damage, or ends the decode.
///
/// After a marker in the middle of a scan libjpeg continues with invented data, after the other warnings with data that
/// may be wrong. Warnings that are not named here leave every pixel correct.
static void on_message(j_common_ptr codec, int level) {
    if (level >= 0) return;
    codec->err->num_warnings++;
    decoding *job = codec->client_data;
    switch (codec->err->msg_code) {
    case JWRN_HIT_MARKER:
        if (job->request->all.fail_on > SWI_FAIL_NEVER)
            fail_with_library_message(codec, job->is_past_end ? SWI_TRUNCATED : SWI_MALFORMED);
        *job->request->all.damage |= SWI_MISSING_PIXELS;
        break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_EXTRANEOUS_DATA:
        if (job->request->all.fail_on > SWI_FAIL_ON_TRUNCATED) fail_with_library_message(codec, SWI_MALFORMED);
        *job->request->all.damage |= SWI_CORRUPT_DATA;
        break;
    default: break;
    }
}

static void look(decoding *job, size_t pixels) {
    if (job->request->all.look(job->request->all.context, pixels)) fail(job, SWI_STOPPED, "stopped");
}

/// Called by libjpeg for every row of blocks in every scan, so also inside `jpeg_start_decompress`.
static void on_progress(j_common_ptr common) {
    decoding *job = common->client_data;
    j_decompress_ptr codec = &job->codec;
    if (codec->input_scan_number > job->request->max_scans) fail(job, SWI_TOO_LARGE, "too many scans");
    for (int k = 0; !job->is_drawing && k < codec->comps_in_scan; k++)
        job->components |= 1u << codec->cur_comp_info[k]->component_index;
    look(job, job->is_drawing ? 0 : (size_t)codec->image_width * codec->max_v_samp_factor * DCTSIZE);
}

static void on_start(j_decompress_ptr codec) {
    (void)codec;
}

/// Gives the next piece of the file. It also checks for the end of the work, because the library reads markers in loops
/// of its own.
static boolean on_empty(j_decompress_ptr codec) {
    static const size_t piece = 1 << 18;
    static const JOCTET end[] = {0xFF, JPEG_EOI};
    decoding *job = codec->client_data;
    look(job, 0);
    if (!job->left) {
        // Before the first scan there is nothing to draw.
        if (job->request->all.fail_on > SWI_FAIL_ON_TRUNCATED || !job->has_header) ERREXIT(codec, JERR_INPUT_EOF);
        job->is_past_end = 1;
        *job->request->all.damage |= SWI_MISSING_END;
        job->source.next_input_byte = end;
        job->source.bytes_in_buffer = sizeof end;
        return TRUE;
    }
    size_t count = job->left < piece ? job->left : piece;
    job->source.next_input_byte = job->next;
    job->source.bytes_in_buffer = count;
    job->next += count;
    job->left -= count;
    return TRUE;
}

static void on_skip(j_decompress_ptr codec, long count) {
    struct jpeg_source_mgr *source = codec->src;
    while (count > 0 && (size_t)count > source->bytes_in_buffer) {
        count -= (long)source->bytes_in_buffer;
        on_empty(codec);
    }
    if (count <= 0) return;
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
}

static inline unsigned multiply(unsigned a, unsigned b) {
    unsigned product = a * b + 128;
    return (product + (product >> 8)) >> 8;
}

static void rgba_from_inverted_cmyk(const uint8_t *cmyk, uint8_t *rgba, size_t width) {
    for (size_t x = 0; x < width; x++, cmyk += 4, rgba += 4) {
        unsigned light = cmyk[3];
        for (int k = 0; k < 3; k++) rgba[k] = (uint8_t)(light - multiply(255 - cmyk[k], light));
        rgba[3] = 255;
    }
}

/// Copies rows to their place in the bitmap, in tiles as wide as a cache line.
static void place(const decoding *job, const uint8_t *rows, size_t count, size_t y, uint8_t *rgba) {
    const swi_jpeg_decode_request *request = job->request;
    size_t width = job->codec.output_width;
    for (size_t x = 0; x < width; x++) {
        uint8_t *target = rgba + 4 * (request->start + (ptrdiff_t)x * request->right + (ptrdiff_t)y * request->down);
        for (size_t k = 0; k < count; k++) memcpy(target + 4 * (ptrdiff_t)k * request->down, rows + 4 * (k * width + x), 4);
    }
}

/// Ends a decode that would show a coarse or colourless picture because the last scans are missing.
static void check_scans(decoding *job) {
    j_decompress_ptr codec = &job->codec;
    int is_whole = job->components + 1 == 1u << codec->num_components;
    for (int c = 0; codec->coef_bits && c < codec->num_components; c++)
        for (int k = 0; k < DCTSIZE2; k++) is_whole &= codec->coef_bits[c][k] == 0;
    if (is_whole) return;
    if (job->request->all.fail_on > SWI_FAIL_NEVER) fail(job, SWI_TRUNCATED, "the last scans are missing");
    *job->request->all.damage |= SWI_MISSING_PIXELS;
}

/// What libjpeg draws for missing data.
static void fill_with_grey(const swi_jpeg_decode_request *request, uint8_t *rgba) {
    size_t count = (size_t)((request->all.width + request->denominator - 1) / request->denominator)
        * (size_t)((request->all.height + request->denominator - 1) / request->denominator);
    for (size_t k = 0; k < count; k++) memcpy(rgba + 4 * k, (uint8_t[]){128, 128, 128, 255}, 4);
}

static void draw_rows(decoding *job, uint8_t *rgba) {
    enum { at_once = 16 };
    j_decompress_ptr codec = &job->codec;
    const swi_jpeg_decode_request *request = job->request;
    size_t stride = (size_t)codec->output_width * 4;
    int is_cmyk = codec->out_color_space == JCS_CMYK;
    const swi_profile *profile = request->all.profile;
    if (profile && swi_profile_pixels(profile) != SWI_PIXELS_INVERTED_CMYK) profile = NULL;
    JSAMPROW ink = NULL, strip = NULL;
    if (is_cmyk) ink = codec->mem->alloc_large((j_common_ptr)codec, JPOOL_IMAGE, stride);
    if (request->right != 1) strip = codec->mem->alloc_large((j_common_ptr)codec, JPOOL_IMAGE, stride * at_once);
    while (codec->output_scanline < codec->output_height) {
        JDIMENSION y = codec->output_scanline;
        JDIMENSION wanted = codec->output_height - y < at_once ? codec->output_height - y : at_once;
        JSAMPROW rows[at_once];
        for (JDIMENSION k = 0; k < wanted; k++)
            rows[k] = strip ? strip + k * stride : rgba + 4 * (request->start + (ptrdiff_t)((y + k) % request->all.capacity) * request->down);
        for (JDIMENSION k = 0; k < wanted;) {
            if (is_cmyk) {
                jpeg_read_scanlines(codec, &ink, 1);
                if (profile) swi_profile_convert(profile, ink, rows[k++], codec->output_width);
                else rgba_from_inverted_cmyk(ink, rows[k++], codec->output_width);
            } else {
                k += jpeg_read_scanlines(codec, rows + k, wanted - k);
            }
        }
        if (strip) place(job, strip, wanted, y, rgba);
        if (request->all.drew) request->all.drew(request->all.rows, y + wanted);
        look(job, (size_t)wanted * codec->output_width);
    }
}

static void draw(decoding *job, uint8_t *rgba) {
    j_decompress_ptr codec = &job->codec;
    const swi_jpeg_decode_request *request = job->request;
    if (setjmp(job->escape)) return;

    jpeg_create_decompress(codec);
    codec->client_data = job;
    codec->progress = &job->progress;
    codec->src = &job->source;
    jpeg_read_header(codec, TRUE);
    job->has_header = 1;
    if (codec->image_width != (JDIMENSION)request->all.width || codec->image_height != (JDIMENSION)request->all.height)
        fail(job, SWI_MALFORMED, "the headers disagree about the size");

    int is_cmyk = codec->jpeg_color_space == JCS_CMYK || codec->jpeg_color_space == JCS_YCCK;
    codec->out_color_space = is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
    codec->scale_num = 1;
    codec->scale_denom = (unsigned)request->denominator;
    jpeg_start_decompress(codec);
    if (codec->output_width != (JDIMENSION)((request->all.width + request->denominator - 1) / request->denominator)
        || codec->output_height != (JDIMENSION)((request->all.height + request->denominator - 1) / request->denominator)
        || codec->output_components != 4)
        fail(job, SWI_MALFORMED, "the headers disagree about the size");
    if (job->is_past_end && jpeg_has_multiple_scans(codec)) check_scans(job);
    if (request->all.fail_on == SWI_FAIL_NEVER && !request->all.drew) fill_with_grey(request, rgba);
    job->is_drawing = 1;
    draw_rows(job, rgba);
    jpeg_finish_decompress(codec);
    job->status = SWI_OK;
}

int swi_jpeg_decode(
    const uint8_t *bytes, size_t count, const swi_jpeg_decode_request *request, uint8_t *rgba, swi_failure *failure
) {
    decoding job = {
        .next = bytes, .left = count, .request = request, .failure = failure, .status = SWI_MALFORMED};
    job.codec.err = jpeg_std_error(&job.errors);
    job.codec.client_data = &job;
    job.errors.error_exit = on_error;
    job.errors.emit_message = on_message;
    job.progress.progress_monitor = on_progress;
    job.source.init_source = on_start;
    job.source.fill_input_buffer = on_empty;
    job.source.skip_input_data = on_skip;
    job.source.resync_to_restart = jpeg_resync_to_restart;
    job.source.term_source = on_start;
    draw(&job, rgba);
    // The rows that are drawn are a picture, unless the work itself had to end.
    int is_broken = job.status == SWI_TRUNCATED || job.status == SWI_MALFORMED;
    if (is_broken && job.is_drawing && request->all.fail_on == SWI_FAIL_NEVER) {
        *request->all.damage |= SWI_MISSING_PIXELS | SWI_CORRUPT_DATA;
        job.status = SWI_OK;
        if (request->all.drew) request->all.drew(request->all.rows, job.codec.output_scanline);
    }
    jpeg_destroy_decompress(&job.codec);
    return job.status;
}

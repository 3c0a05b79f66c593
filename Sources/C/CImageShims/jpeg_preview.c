// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <jpeglib.h>

/// libjpeg in its buffered mode, with a source that waits for more: what has been read stays in its coefficients.
struct swi_jpeg_preview {
    struct jpeg_decompress_struct codec;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    swi_jpeg_preview_request request;
    /// The bytes of the file that the library is done with, and those it wants to skip beyond what has arrived.
    size_t used, skipped;
    enum { READING_HEADER, STARTING, READING, BROKEN } stage;
    int is_complete;
    swi_failure failure;
};

static void on_error(j_common_ptr codec) {
    swi_jpeg_preview *preview = codec->client_data;
    char message[JMSG_LENGTH_MAX];
    codec->err->format_message(codec, message);
    snprintf(preview->failure.message, sizeof preview->failure.message, "%s", message);
    longjmp(preview->escape, 1);
}

static void on_message(j_common_ptr codec, int level) {
    if (level < 0) codec->err->num_warnings++;
}

static void on_start(j_decompress_ptr codec) {
    (void)codec;
}

/// The library goes back to where it can go on from, and returns.
static boolean on_empty(j_decompress_ptr codec) {
    (void)codec;
    return FALSE;
}

static void on_skip(j_decompress_ptr codec, long count) {
    swi_jpeg_preview *preview = codec->client_data;
    if (count <= 0) return;
    size_t there = codec->src->bytes_in_buffer, wanted = (size_t)count;
    size_t now = wanted < there ? wanted : there;
    codec->src->next_input_byte += now;
    codec->src->bytes_in_buffer -= now;
    preview->skipped += wanted - now;
}

swi_jpeg_preview *swi_jpeg_preview_create(const swi_jpeg_preview_request *request) {
    swi_jpeg_preview *preview = calloc(1, sizeof *preview);
    if (!preview) return NULL;
    preview->request = *request;
    preview->codec.err = jpeg_std_error(&preview->errors);
    preview->codec.client_data = preview;
    preview->errors.error_exit = on_error;
    preview->errors.emit_message = on_message;
    preview->source.init_source = on_start;
    preview->source.fill_input_buffer = on_empty;
    preview->source.skip_input_data = on_skip;
    preview->source.resync_to_restart = jpeg_resync_to_restart;
    preview->source.term_source = on_start;
    if (setjmp(preview->escape)) {
        swi_jpeg_preview_free(preview);
        return NULL;
    }
    jpeg_create_decompress(&preview->codec);
    preview->codec.client_data = preview;
    preview->codec.src = &preview->source;
    return preview;
}

void swi_jpeg_preview_free(swi_jpeg_preview *preview) {
    jpeg_destroy_decompress(&preview->codec);
    free(preview);
}

static int start(swi_jpeg_preview *preview) {
    j_decompress_ptr codec = &preview->codec;
    if (preview->stage == READING_HEADER) {
        if (jpeg_read_header(codec, TRUE) == JPEG_SUSPENDED) return 0;
        int is_ink = codec->jpeg_color_space == JCS_CMYK || codec->jpeg_color_space == JCS_YCCK;
        if (is_ink || codec->image_width != (JDIMENSION)preview->request.width
            || codec->image_height != (JDIMENSION)preview->request.height)
            return -1;
        codec->buffered_image = TRUE;
        codec->out_color_space = JCS_EXT_RGBA;
        codec->scale_num = 1;
        codec->scale_denom = (unsigned)preview->request.denominator;
        preview->stage = STARTING;
    }
    if (!jpeg_start_decompress(codec)) return 0;
    preview->stage = READING;
    return 1;
}

int swi_jpeg_preview_read(
    swi_jpeg_preview *preview, const uint8_t *bytes, size_t count, swi_look look, void *context, int *scans,
    swi_failure *failure
) {
    j_decompress_ptr codec = &preview->codec;
    *scans = 0;
    if (preview->stage == BROKEN) return SWI_MALFORMED;
    if (setjmp(preview->escape)) {
        preview->stage = BROKEN;
        *failure = preview->failure;
        return SWI_MALFORMED;
    }
    if (count < preview->used + preview->skipped) return SWI_OK;
    preview->used += preview->skipped;
    preview->skipped = 0;
    preview->source.next_input_byte = bytes + preview->used;
    preview->source.bytes_in_buffer = count - preview->used;
    int status = SWI_OK, started = preview->stage == READING ? 1 : start(preview);
    if (started < 0) {
        preview->stage = BROKEN;
        status = SWI_UNSUPPORTED;
    }
    while (started > 0 && !preview->is_complete) {
        int result = jpeg_consume_input(codec);
        if (result == JPEG_SUSPENDED) break;
        preview->is_complete = result == JPEG_REACHED_EOI;
        if (codec->input_scan_number > preview->request.max_scans) {
            preview->stage = BROKEN;
            status = SWI_TOO_LARGE;
            break;
        }
        size_t rows = result == JPEG_ROW_COMPLETED ? (size_t)codec->max_v_samp_factor * DCTSIZE : 0;
        if (look(context, codec->image_width * rows)) {
            status = SWI_STOPPED;
            break;
        }
    }
    preview->used = (size_t)(preview->source.next_input_byte - bytes);
    // The bytes are the caller's only until here; drawing takes what has been read.
    preview->source.next_input_byte = NULL;
    preview->source.bytes_in_buffer = 0;
    if (status == SWI_OK && started > 0) *scans = codec->input_scan_number - !preview->is_complete;
    return status;
}

int swi_jpeg_preview_draw(
    swi_jpeg_preview *preview, int scan, uint8_t *rgba, swi_look look, void *context, swi_failure *failure
) {
    j_decompress_ptr codec = &preview->codec;
    if (setjmp(preview->escape)) {
        preview->stage = BROKEN;
        *failure = preview->failure;
        return SWI_MALFORMED;
    }
    if (!jpeg_start_output(codec, scan)) return SWI_TRUNCATED;
    int status = SWI_OK;
    JDIMENSION width = (JDIMENSION)((preview->request.width + preview->request.denominator - 1) / preview->request.denominator);
    JDIMENSION height = (JDIMENSION)((preview->request.height + preview->request.denominator - 1) / preview->request.denominator);
    if (codec->output_width != width || codec->output_height != height || codec->output_components != 4) {
        preview->stage = BROKEN;
        return SWI_MALFORMED;
    }
    while (status == SWI_OK && codec->output_scanline < codec->output_height) {
        JSAMPROW row = rgba + (size_t)codec->output_scanline * width * 4;
        if (!jpeg_read_scanlines(codec, &row, 1)) status = SWI_TRUNCATED;
        if (codec->output_scanline % 16 == 0 && look(context, (size_t)width * 16)) status = SWI_STOPPED;
    }
    if (!jpeg_finish_output(codec) && status == SWI_OK) status = SWI_TRUNCATED;
    return status;
}

// SPDX-License-Identifier: MIT
#ifdef SWI_HEIF
#include "bytes.h"
#include <libheif/heif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A context, and the picture that a file shows first.
typedef struct opened {
    struct heif_context *context;
    struct heif_image_handle *handle;
} opened;

static int status_of(struct heif_error error, swi_failure *failure) {
    if (error.code == heif_error_Ok) return SWI_OK;
    if (!failure->message[0])
        snprintf(failure->message, sizeof failure->message, "%.200s", error.message ? error.message : "no message");
    if (error.subcode == heif_suberror_Security_limit_exceeded) return SWI_TOO_LARGE;
    if (error.subcode == heif_suberror_End_of_data) return SWI_TRUNCATED;
    switch (error.code) {
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature:
    case heif_error_Plugin_loading_error: return SWI_UNSUPPORTED;
    case heif_error_Memory_allocation_error: return SWI_NO_MEMORY;
    default: return SWI_MALFORMED;
    }
}

static void close_file(opened *file) {
    if (file->handle) heif_image_handle_release(file->handle);
    if (file->context) heif_context_free(file->context);
}

static int open_file(opened *file, const uint8_t *bytes, size_t count, swi_failure *failure) {
    file->context = heif_context_alloc();
    if (!file->context) return SWI_NO_MEMORY;
    // The work stays on the thread whose time is counted.
    heif_context_set_max_decoding_threads(file->context, 0);
    int status = status_of(heif_context_read_from_memory_without_copy(file->context, bytes, count, NULL), failure);
    if (status != SWI_OK) return status;
    return status_of(heif_context_get_primary_image_handle(file->context, &file->handle), failure);
}

int swi_heif_has_decoder(int is_avif) {
    return heif_have_decoder_for_format(is_avif ? heif_compression_AV1 : heif_compression_HEVC);
}

int swi_heif_read_header(const uint8_t *bytes, size_t count, swi_heif_header *header, swi_failure *failure) {
    opened file = {0};
    int status = open_file(&file, bytes, count, failure);
    if (status == SWI_OK) {
        int width = heif_image_handle_get_width(file.handle), height = heif_image_handle_get_height(file.handle);
        int bits = heif_image_handle_get_luma_bits_per_pixel(file.handle);
        header->width = width > 0 ? (uint32_t)width : 0;
        header->height = height > 0 ? (uint32_t)height : 0;
        header->has_alpha = heif_image_handle_has_alpha_channel(file.handle);
        header->bytes_per_sample = bits > 8 ? 2 : 1;
    }
    close_file(&file);
    return status;
}

void swi_heif_read_colours(
    const uint8_t *bytes, size_t count, size_t largest, swi_bytes *profile, int *numbers
) {
    swi_failure failure = {0};
    opened file = {0};
    struct heif_color_profile_nclx *coded = NULL;
    if (open_file(&file, bytes, count, &failure) == SWI_OK) {
        size_t length = heif_image_handle_get_raw_color_profile_size(file.handle);
        uint8_t *data = length && length <= largest ? malloc(length) : NULL;
        if (data && heif_image_handle_get_raw_color_profile(file.handle, data).code == heif_error_Ok)
            swi_bytes_append(profile, data, length);
        free(data);
        if (heif_image_handle_get_nclx_color_profile(file.handle, &coded).code == heif_error_Ok && coded) {
            numbers[0] = (int)coded->color_primaries;
            numbers[1] = (int)coded->transfer_characteristics;
        }
        if (coded) heif_nclx_color_profile_free(coded);
    }
    close_file(&file);
}

/// Hands the rows on, a few at a time, not premultiplied.
static int pass_on(
    const uint8_t *rows, size_t from_stride, const swi_decode_request *request, int is_premultiplied, uint8_t *rgba
) {
    static const uint32_t at_once = 16;
    size_t stride = (size_t)request->width * 4;
    for (uint32_t y = 0; y < request->height; y++) {
        uint8_t *row = rgba + y % request->capacity * stride;
        memcpy(row, rows + y * from_stride, stride);
        if (is_premultiplied) swi_unpremultiply(row, stride);
        if ((y + 1) % at_once && y + 1 < request->height) continue;
        if (request->drew) request->drew(request->rows, (size_t)y + 1);
        if (request->look(request->context, 0)) return SWI_STOPPED;
    }
    return SWI_OK;
}

static int draw(opened *file, const swi_decode_request *request, uint8_t *rgba, swi_failure *failure) {
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options) return SWI_NO_MEMORY;
    options->convert_hdr_to_8bit = 1;
    options->strict_decoding = request->fail_on == SWI_FAIL_ON_ANY_DAMAGE;
    struct heif_image *image = NULL;
    struct heif_error error = heif_decode_image(
        file->handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, options);
    heif_decoding_options_free(options);
    int status = status_of(error, failure), stride = 0;
    const uint8_t *rows =
        status == SWI_OK ? heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride) : NULL;
    if (status == SWI_OK) {
        int width = heif_image_get_width(image, heif_channel_interleaved);
        int height = heif_image_get_height(image, heif_channel_interleaved);
        if (!rows || width < 0 || height < 0 || (uint32_t)width != request->width
            || (uint32_t)height != request->height) {
            snprintf(failure->message, sizeof failure->message, "the headers disagree about the size");
            status = SWI_MALFORMED;
        } else {
            if (heif_image_get_decoding_warnings(image, 0, NULL, 0) > 0) *request->damage |= SWI_CORRUPT_DATA;
            int is_premultiplied = heif_image_handle_is_premultiplied_alpha(file->handle);
            status = request->look(request->context, (size_t)width * (size_t)height)
                         ? SWI_STOPPED
                         : pass_on(rows, (size_t)stride, request, is_premultiplied, rgba);
        }
    }
    if (image) heif_image_release(image);
    return status;
}

int swi_heif_decode(
    const uint8_t *bytes, size_t count, const swi_decode_request *request, uint8_t *rgba, swi_failure *failure
) {
    opened file = {0};
    int status = open_file(&file, bytes, count, failure);
    if (status == SWI_OK
        && ((uint32_t)heif_image_handle_get_width(file.handle) != request->width
            || (uint32_t)heif_image_handle_get_height(file.handle) != request->height))
        status = SWI_MALFORMED;
    if (status == SWI_OK) status = draw(&file, request, rgba, failure);
    close_file(&file);
    return status;
}
#endif

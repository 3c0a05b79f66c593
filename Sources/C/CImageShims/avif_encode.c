// SPDX-License-Identifier: MIT
#ifdef SWI_HEIF
#include "bytes.h"
#include <libheif/heif.h>
#include <stdio.h>
#include <string.h>

static int status_of(struct heif_error error, swi_failure *failure) {
    if (error.code == heif_error_Ok) return SWI_OK;
    snprintf(failure->message, sizeof failure->message, "%.200s", error.message ? error.message : "no message");
    return error.code == heif_error_Memory_allocation_error ? SWI_NO_MEMORY : SWI_UNSUPPORTED;
}

static struct heif_error on_write(struct heif_context *context, const void *data, size_t size, void *output) {
    (void)context;
    struct heif_error error = {heif_error_Ok, heif_suberror_Unspecified, "success"};
    if (swi_bytes_append(output, data, size)) {
        error.code = heif_error_Memory_allocation_error;
        error.message = "no memory for the file";
    }
    return error;
}

/// Copies the pixels into a picture of the library.
static int make_image(
    const uint8_t *rgba, const swi_avif_encode_request *request, struct heif_image **image, swi_failure *failure
) {
    int width = request->width, height = request->height, stride = 0;
    enum heif_chroma chroma = request->has_alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
    size_t samples = request->has_alpha ? 4 : 3;
    int status = status_of(heif_image_create(width, height, heif_colorspace_RGB, chroma, image), failure);
    if (status == SWI_OK)
        status = status_of(heif_image_add_plane(*image, heif_channel_interleaved, width, height, 8), failure);
    if (status != SWI_OK) return status;
    uint8_t *rows = heif_image_get_plane(*image, heif_channel_interleaved, &stride);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            memcpy(
                rows + (size_t)y * (size_t)stride + (size_t)x * samples,
                rgba + ((size_t)y * (size_t)width + (size_t)x) * 4, samples);
    return SWI_OK;
}

static int encode(
    struct heif_context *context, struct heif_image *image, const swi_avif_encode_request *request,
    swi_failure *failure
) {
    struct heif_encoder *encoder = NULL;
    int status = status_of(heif_context_get_encoder_for_format(context, heif_compression_AV1, &encoder), failure);
    if (status != SWI_OK) return status;
    struct heif_encoding_options *options = heif_encoding_options_alloc();
    struct heif_color_profile_nclx *colours = heif_nclx_color_profile_alloc();
    if (!options || !colours) status = SWI_NO_MEMORY;
    if (status == SWI_OK) {
        colours->color_primaries = heif_color_primaries_ITU_R_BT_709_5;
        colours->transfer_characteristics = heif_transfer_characteristic_IEC_61966_2_1;
        colours->matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6;
        colours->full_range_flag = 1;
        options->output_nclx_profile = colours;
        status = status_of(heif_image_set_nclx_color_profile(image, colours), failure);
    }
    if (status == SWI_OK) {
        // Encoders differ in what they can be told, and do without it.
        heif_encoder_set_lossy_quality(encoder, request->quality);
        heif_encoder_set_parameter_integer(encoder, "speed", request->speed);
        heif_encoder_set_parameter_integer(encoder, "threads", 1);
        status = status_of(heif_context_encode_image(context, image, encoder, options, NULL), failure);
    }
    if (colours) heif_nclx_color_profile_free(colours);
    if (options) heif_encoding_options_free(options);
    heif_encoder_release(encoder);
    return status;
}

int swi_avif_has_encoder(void) { return heif_have_encoder_for_format(heif_compression_AV1); }

int swi_avif_encode(
    const uint8_t *rgba, const swi_avif_encode_request *request, swi_bytes *output, swi_failure *failure
) {
    *output = (swi_bytes){0};
    struct heif_context *context = heif_context_alloc();
    struct heif_image *image = NULL;
    if (!context) return SWI_NO_MEMORY;
    int status = make_image(rgba, request, &image, failure);
    if (status == SWI_OK) status = encode(context, image, request, failure);
    struct heif_writer writer = {.writer_api_version = 1, .write = on_write};
    if (status == SWI_OK) status = status_of(heif_context_write(context, &writer, output), failure);
    if (status != SWI_OK) swi_bytes_free(output);
    if (image) heif_image_release(image);
    heif_context_free(context);
    return status;
}
#endif

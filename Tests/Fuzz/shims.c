// SPDX-License-Identifier: MIT
// A target of libFuzzer for each C decoder, chosen by the variable FUZZ; see the script beside it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "CImageShims.h"

enum { most_pixels = 1 << 20, most_drawn = 1 << 25 };

static const char *target = "jpeg";
static size_t drawn;

int LLVMFuzzerInitialize(int *count, char ***words) {
    (void)count;
    (void)words;
    if (getenv("FUZZ")) target = getenv("FUZZ");
    return 0;
}

static int look(void *context, size_t pixels) {
    (void)context;
    drawn += pixels + 64;
    return drawn > most_drawn;
}

static void drew(void *rows, size_t count) {
    if (count > *(size_t *)rows) *(size_t *)rows = count;
}

/// The sides in the first frame header.
static int find_sides(const uint8_t *bytes, size_t count, uint32_t *width, uint32_t *height) {
    for (size_t at = 2; at + 9 < count; at++) {
        if (bytes[at] != 0xFF || bytes[at + 1] < 0xC0 || bytes[at + 1] > 0xCF) continue;
        if (bytes[at + 1] == 0xC4 || bytes[at + 1] == 0xC8 || bytes[at + 1] == 0xCC) continue;
        *height = (uint32_t)bytes[at + 5] << 8 | bytes[at + 6];
        *width = (uint32_t)bytes[at + 7] << 8 | bytes[at + 8];
        return 1;
    }
    return 0;
}

static void preview(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int denominator) {
    swi_failure failure;
    swi_jpeg_preview_request request = {denominator, (int)width, (int)height, 20};
    swi_jpeg_preview *made = swi_jpeg_preview_create(&request);
    size_t size = (size_t)((width + denominator - 1) / denominator) * ((height + denominator - 1) / denominator) * 4;
    uint8_t *rgba = malloc(size);
    for (size_t part = 1; part <= 4; part++) {
        int scans = 0;
        int status = swi_jpeg_preview_read(made, bytes, count * part / 4, look, &drawn, &scans, &failure);
        if (status == SWI_OK && scans > 0) swi_jpeg_preview_draw(made, scans, rgba, look, &drawn, &failure);
    }
    free(rgba);
    swi_jpeg_preview_free(made);
}

static int count_frames(void *frames, size_t milliseconds) {
    (void)milliseconds;
    return ++*(size_t *)frames >= 4;
}

/// Reads the colours of a file, and prepares the conversion that is done while it is drawn.
static swi_profile *find_profile(const uint8_t *bytes, size_t count) {
    swi_bytes found = {0};
    int pixels = SWI_PIXELS_RGBA_8, numbers[2] = {2, 2};
    if (!strcmp(target, "tiff")) swi_tiff_read_colours(bytes, count, 1 << 24, 1 << 16, &found, &pixels);
    if (!strcmp(target, "heif")) swi_heif_read_colours(bytes, count, 1 << 16, &found, numbers);
    if (!strcmp(target, "jxl")) swi_jxl_read_colours(bytes, count, 1 << 16, &found);
    swi_colour_source source = {
        found.start, found.count, {0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06}, SWI_TRANSFER_GAMMA, 1.8};
    if (!strcmp(target, "png") && bytes[24] == 16) pixels = SWI_PIXELS_RGBA_16;
    if (found.count > 1 << 16) abort();
    swi_profile *made = pixels == SWI_PIXELS_RGBA_8 ? NULL : swi_profile_create(&source, pixels);
    swi_bytes_free(&found);
    return made;
}

static void decode(const uint8_t *bytes, size_t count, uint8_t choice) {
    swi_failure failure;
    int damage = 0, denominator = 1 << (choice >> 4 & 3);
    size_t rows = 0, frames = 0;
    swi_decode_request request = {
        .largest = 64 << 20, .look = look, .context = &drawn, .fail_on = choice % 3, .damage = &damage};
    int is_jpeg = !strcmp(target, "jpeg") || !strcmp(target, "jpeg-preview");
    if (is_jpeg) {
        if (!find_sides(bytes, count, &request.width, &request.height)) return;
    } else if (!strcmp(target, "png")) {
        if (count < 33) return;
        for (int k = 0; k < 4; k++) request.width = request.width << 8 | bytes[16 + k];
        for (int k = 0; k < 4; k++) request.height = request.height << 8 | bytes[20 + k];
    } else if (!strcmp(target, "tiff")) {
        swi_tiff_header header;
        if (swi_tiff_read_header(bytes, count, request.largest, &header, &failure) != SWI_OK) return;
        request.width = header.width, request.height = header.height;
    } else if (!strcmp(target, "heif")) {
        swi_heif_header header;
        if (swi_heif_read_header(bytes, count, &header, &failure) != SWI_OK) return;
        request.width = header.width, request.height = header.height;
    } else {
        swi_jxl_header header;
        if (swi_jxl_read_header(bytes, count, 8, &header, &failure) != SWI_OK) return;
        request.width = header.width, request.height = header.height;
    }
    if (!request.width || !request.height || (uint64_t)request.width * request.height > most_pixels) return;
    if (!strcmp(target, "jpeg-preview")) return preview(bytes, count, request.width, request.height, denominator);
    uint32_t width = request.width, height = request.height;
    if (is_jpeg) width = (width + denominator - 1) / denominator, height = (height + denominator - 1) / denominator;
    request.capacity = height;
    int is_interlaced = !strcmp(target, "png") && bytes[28];
    if (choice & 8 && !is_interlaced && strcmp(target, "jxl")) {
        request.drew = drew, request.rows = &rows;
        request.capacity = height < 24 ? height : 24;
    }
    uint8_t *rgba = malloc((size_t)width * request.capacity * 4);
    swi_profile *profile = find_profile(bytes, count);
    request.profile = profile;
    if (is_jpeg) {
        swi_jpeg_decode_request jpeg = {
            .all = request, .denominator = denominator, .max_scans = 20, .right = 1, .down = (ptrdiff_t)width};
        swi_jpeg_decode(bytes, count, &jpeg, rgba, &failure);
    } else if (!strcmp(target, "png")) {
        swi_png_decode(bytes, count, &request, rgba, &failure);
    } else if (!strcmp(target, "tiff")) {
        swi_tiff_decode(bytes, count, &request, rgba, &failure);
    } else if (!strcmp(target, "heif")) {
        swi_heif_decode(bytes, count, &request, rgba, &failure);
    } else {
        swi_jxl_decode(bytes, count, &request, rgba, choice & 4 ? count_frames : NULL, &frames, &failure);
    }
    if (rows > height) abort();
    swi_profile_free(profile);
    free(rgba);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    // The choice of options stands behind the file, so that files are inputs as they are.
    uint8_t choice = data[size - 1], *bytes = malloc(size - 1);
    memcpy(bytes, data, size - 1);
    drawn = 0;
    if (strcmp(target, "profile")) {
        decode(bytes, size - 1, choice);
    } else {
        swi_colour_source source = {.profile = bytes, .count = size - 1};
        swi_profile *profile = swi_profile_create(&source, choice % 3);
        uint16_t from[64];
        uint8_t pixels[64];
        memset(from, choice, sizeof from);
        if (profile) swi_profile_convert(profile, from, pixels, sizeof pixels / 4);
        swi_profile_free(profile);
    }
    free(bytes);
    return 0;
}

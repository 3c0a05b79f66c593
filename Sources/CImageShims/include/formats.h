// SPDX-License-Identifier: MIT
#pragma once
#include "CImageShims.h"

/// The formats behind package traits. Each function exists only where its trait is enabled.

typedef struct swi_tiff_header {
    /// As stored.
    uint32_t width, height;
    /// As in EXIF, 1 to 8.
    int orientation;
    /// Whether pixels may be transparent.
    int has_alpha;
    /// Whether no part of the coding loses anything.
    int is_lossless;
    /// The rows that are drawn at once: whole strips or tiles.
    uint32_t band;
    /// What libtiff holds to draw a band: a strip or a tile of each plane, and the places of all of them.
    size_t byte_count;
} swi_tiff_header;

/// Reads the first directory. `largest` is the most that the library may allocate at once, in bytes.
///
/// A picture that libtiff cannot draw, or that is coded in one of its rarer ways, is `SWI_UNSUPPORTED`.
int swi_tiff_read_header(
    const uint8_t *_Nonnull bytes, size_t count, size_t largest, swi_tiff_header *_Nonnull header,
    swi_failure *_Nonnull failure);

typedef struct swi_tiff_decode_request {
    /// The size and the band in the header. Another size in the file ends the decode with `SWI_MALFORMED`.
    uint32_t width, height, band;
    /// As in `swi_tiff_read_header`.
    size_t largest;
    /// As in `swi_jpeg_decode_request`.
    size_t capacity;
    swi_drew _Nullable drew;
    void *_Nullable rows;
    swi_look _Nonnull look;
    void *_Nonnull context;
    /// One of `SWI_FAIL_...`.
    int fail_on;
    /// Gets the bits of the damage.
    int *_Nonnull damage;
} swi_tiff_decode_request;

/// Draws premultiplied RGBA rows of the first picture as they are stored, without padding.
///
/// A band that cannot be read ends the decode; for `SWI_FAIL_NEVER` it is clear.
int swi_tiff_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_tiff_decode_request *_Nonnull request,
    uint8_t *_Nonnull rgba, swi_failure *_Nonnull failure);

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

/// Reads the first directory. `largest` is as in `swi_decode_request`.
///
/// A picture that libtiff cannot draw, or that is coded in one of its rarer ways, is `SWI_UNSUPPORTED`.
int swi_tiff_read_header(
    const uint8_t *_Nonnull bytes, size_t count, size_t largest, swi_tiff_header *_Nonnull header,
    swi_failure *_Nonnull failure);

/// Draws RGBA rows of the first picture, not premultiplied, as they are stored, without padding. Inks become RGB by the
/// profile, or as the library guesses.
///
/// A band that cannot be read ends the decode; for `SWI_FAIL_NEVER` it is clear.
int swi_tiff_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_decode_request *_Nonnull request,
    uint8_t *_Nonnull rgba, swi_failure *_Nonnull failure);

typedef struct swi_heif_header {
    /// As shown: the library turns and crops.
    uint32_t width, height;
    int has_alpha;
    int bytes_per_sample;
} swi_heif_header;

/// Whether the library was built with, or finds, a decoder for AV1 or for HEVC.
int swi_heif_has_decoder(int is_avif);

/// Reads the boxes before the pixels.
int swi_heif_read_header(
    const uint8_t *_Nonnull bytes, size_t count, swi_heif_header *_Nonnull header, swi_failure *_Nonnull failure);

/// Draws RGBA rows of the primary picture, not premultiplied, as it is shown, without padding.
int swi_heif_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_decode_request *_Nonnull request,
    uint8_t *_Nonnull rgba, swi_failure *_Nonnull failure);

typedef struct swi_avif_encode_request {
    int width, height;
    int quality;
    /// Zero ignores alpha.
    int has_alpha;
    /// 0 (smallest file) to 9 (fastest).
    int speed;
} swi_avif_encode_request;

int swi_avif_has_encoder(void);

/// Reads RGBA rows, not premultiplied, without padding. `output` is empty unless the result is `SWI_OK`.
int swi_avif_encode(
    const uint8_t *_Nonnull rgba, const swi_avif_encode_request *_Nonnull request, swi_bytes *_Nonnull output,
    swi_failure *_Nonnull failure);

typedef struct swi_jxl_header {
    /// As shown: the library turns.
    uint32_t width, height;
    int has_alpha;
    int is_animated;
    /// How often an animation is played; 0 means forever.
    uint32_t loop_count;
    /// Those of an animation up to the limit and one more; 0 of a still picture.
    size_t frame_count;
    /// Whether the whole animation was seen.
    int is_complete;
    /// Colours and others.
    uint32_t channels;
} swi_jxl_header;

/// Reads the header and, of an animation, the headers of its frames. Nothing is decoded.
int swi_jxl_read_header(
    const uint8_t *_Nonnull bytes, size_t count, size_t frame_limit, swi_jxl_header *_Nonnull header,
    swi_failure *_Nonnull failure);

/// Called when a frame is drawn. A result other than zero ends the decode well.
typedef int (*swi_frame)(void *_Nonnull frames, size_t milliseconds);

/// Draws one frame after the other on the same bitmap, RGBA without padding, not premultiplied, as it is shown;
/// without `frame`, the first one alone.
///
/// For `SWI_FAIL_NEVER` the pixels that are missing in the first frame are clear, and later frames may be missing.
int swi_jxl_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_decode_request *_Nonnull request, uint8_t *_Nonnull rgba,
    swi_frame _Nullable frame, void *_Nullable frames, swi_failure *_Nonnull failure);

/// Append what a file says of its colours: an ICC profile, or two numbers of ITU-T H.273, of the primaries and the
/// transfer characteristics. A file that cannot be read says nothing, and a profile of more than `largest` bytes is
/// not copied. `pixels` becomes `SWI_PIXELS_INVERTED_CMYK` for inks.
/// libtiff allocates at most `allocation` bytes at once.
void swi_tiff_read_colours(
    const uint8_t *_Nonnull bytes, size_t count, size_t allocation, size_t largest, swi_bytes *_Nonnull profile,
    int *_Nonnull pixels);
void swi_heif_read_colours(
    const uint8_t *_Nonnull bytes, size_t count, size_t largest, swi_bytes *_Nonnull profile, int *_Nonnull numbers);
void swi_jxl_read_colours(
    const uint8_t *_Nonnull bytes, size_t count, size_t largest, swi_bytes *_Nonnull profile);

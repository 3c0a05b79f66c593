// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>
// For the coders in Swift, which import no other C library.
#include <math.h>
#include <string.h>

/// The part of libjpeg and libpng that Swift cannot import: both report errors by `longjmp`, so every function that calls
/// them encloses `setjmp`, the library's structures and their clean-up, and returns a status. And the loops over all
/// pixels of a picture, which must be fast in a build for debugging too.

enum {
    SWI_OK = 0,
    SWI_TRUNCATED = 1,
    SWI_MALFORMED = 2,
    SWI_UNSUPPORTED = 3,
    SWI_TOO_LARGE = 4,
    SWI_STOPPED = 5,
    SWI_NO_MEMORY = 6,
};

/// The library's description of a failure, as a C string.
typedef struct swi_failure {
    char message[256];
} swi_failure;

/// Which damage ends a decode.
enum {
    SWI_FAIL_NEVER = 0,
    SWI_FAIL_ON_TRUNCATED = 1,
    SWI_FAIL_ON_ANY_DAMAGE = 2,
};

/// The damage of a file that was decoded all the same; the bits of Swift's `ImageDamage`.
enum {
    SWI_MISSING_END = 1,
    SWI_MISSING_PIXELS = 2,
    SWI_CORRUPT_DATA = 4,
};

/// Called between rows. A result other than zero ends the work with `SWI_STOPPED`. It returns before anything is
/// unwound.
typedef int (*swi_should_stop)(void);

/// Called between rows, scans and pieces of the file, with the number of pixels drawn since the last call. A result
/// other than zero ends the work with `SWI_STOPPED`. It returns before anything is unwound.
typedef int (*swi_look)(void *_Nonnull context, size_t pixels);

/// Called when rows are drawn, with the number of rows so far.
typedef void (*swi_drew)(void *_Nonnull rows, size_t count);

/// The processor time of the calling thread, in nanoseconds.
int64_t swi_processor_time(void);

/// Blocks the calling thread for a millisecond.
void swi_rest(void);

/// Bytes from `malloc`, freed by `swi_bytes_free`.
typedef struct swi_bytes {
    uint8_t *_Nullable start;
    size_t count;
    size_t capacity;
} swi_bytes;

void swi_bytes_free(swi_bytes *_Nonnull bytes);

/// The check sum of PNG's chunks.
uint32_t swi_crc32(const uint8_t *_Nonnull bytes, size_t count);

/// Inflates a zlib stream that is no longer than `output_count`, which becomes its length. Zero on success.
int swi_inflate(
    const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull output, size_t *_Nonnull output_count);

/// Makes a zlib stream no longer than `output_count`, which becomes its length. Zero on success.
int swi_deflate(
    const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull output, size_t *_Nonnull output_count);

/// How a signal becomes light; but for the first, the numbers of ITU-T H.273.
enum { SWI_TRANSFER_GAMMA = 0, SWI_TRANSFER_SRGB = 13, SWI_TRANSFER_PQ = 16, SWI_TRANSFER_HLG = 18 };

/// What the numbers of a picture mean: an ICC profile or, without one, primaries and a curve.
typedef struct swi_colour_source {
    const uint8_t *_Nullable profile;
    size_t count;
    /// CIE x and y of white, red, green and blue.
    double points[8];
    int transfer;
    double gamma;
} swi_colour_source;

/// The pixels that a conversion reads. Those of sixteen bits are in the order of the machine.
enum { SWI_PIXELS_RGBA_8, SWI_PIXELS_RGBA_16, SWI_PIXELS_INVERTED_CMYK };

/// A conversion to sRGB.
typedef struct swi_profile swi_profile;

/// Null for a profile that is broken, of other colours than the pixels, or that changes nothing.
swi_profile *_Nullable swi_profile_create(const swi_colour_source *_Nonnull from, int pixels);
void swi_profile_free(swi_profile *_Nullable profile);
int swi_profile_pixels(const swi_profile *_Nonnull profile);

/// Converts `count` pixels that are not premultiplied to RGBA; those of four bytes may be in the same place. May be
/// called on several threads.
void swi_profile_convert(
    const swi_profile *_Nonnull profile, const void *_Nonnull from, uint8_t *_Nonnull rgba, size_t count);

/// What all decoders are asked for.
typedef struct swi_decode_request {
    /// The size in the header. Another size in the file ends the decode with `SWI_MALFORMED`.
    uint32_t width, height;
    /// The most that a library may allocate at once, in bytes, where it can be told so.
    size_t largest;
    /// The rows that the bitmap has room for: row `y` is drawn at `y % capacity`, unless the picture is turned. They are
    /// overwritten when `drew` returns; at most 16 rows are drawn between two calls.
    size_t capacity;
    /// For a bitmap without room for all rows. Rows that are missing in the end are not drawn.
    swi_drew _Nullable drew;
    void *_Nullable rows;
    swi_look _Nonnull look;
    void *_Nonnull context;
    /// Converts inks, and pixels of sixteen bits, as they are drawn. Other pixels are left to the caller.
    const swi_profile *_Nullable profile;
    /// One of `SWI_FAIL_...`.
    int fail_on;
    /// Gets the bits of the damage.
    int *_Nonnull damage;
} swi_decode_request;

typedef struct swi_jpeg_decode_request {
    swi_decode_request all;
    /// 1, 2, 4 or 8: the picture is drawn at `1 / denominator` of its size, each side rounded up.
    int denominator;
    int max_scans;
    /// Where the first pixel goes, and how far a step right and a step down in the picture lead, in pixels of the
    /// bitmap: this is how a picture is turned while it is drawn.
    ptrdiff_t start, right, down;
} swi_jpeg_decode_request;

/// Draws RGBA rows, opaque, without padding. CMYK is read as Adobe stores it, inverted, and converted by the profile if
/// there is one.
///
/// A file that lacks its last marker alone has every row: that is an error for `SWI_FAIL_ON_ANY_DAMAGE`. A file that lacks
/// pixels is `SWI_TRUNCATED`, or `SWI_MALFORMED` when the data of a scan end early; libjpeg alone would draw grey, and
/// `SWI_FAIL_NEVER` lets it. Data that break the rules are `SWI_MALFORMED` for `SWI_FAIL_ON_ANY_DAMAGE`, and damage
/// otherwise.
int swi_jpeg_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_jpeg_decode_request *_Nonnull request,
    uint8_t *_Nonnull rgba, swi_failure *_Nonnull failure);

/// A JPEG of several scans that still arrives. Its bytes are read once, and may be drawn after each read.
typedef struct swi_jpeg_preview swi_jpeg_preview;

typedef struct swi_jpeg_preview_request {
    /// As in `swi_jpeg_decode_request`.
    int denominator, width, height, max_scans;
} swi_jpeg_preview_request;

/// Returns nothing without memory.
swi_jpeg_preview *_Nullable swi_jpeg_preview_create(const swi_jpeg_preview_request *_Nonnull request);
void swi_jpeg_preview_free(swi_jpeg_preview *_Nonnull preview);

/// Reads what has arrived: `bytes` are the beginning of the file, with those of the call before. After `SWI_STOPPED` a
/// later call goes on; after another failure each call fails. `scans` gets the number of scans that are whole.
int swi_jpeg_preview_read(
    swi_jpeg_preview *_Nonnull preview, const uint8_t *_Nonnull bytes, size_t count, swi_look _Nonnull look,
    void *_Nonnull context, int *_Nonnull scans, swi_failure *_Nonnull failure);

/// Draws all that was read, as RGBA rows without padding. `scan` is a number that `swi_jpeg_preview_read` gave, not 0.
int swi_jpeg_preview_draw(
    swi_jpeg_preview *_Nonnull preview, int scan, uint8_t *_Nonnull rgba, swi_look _Nonnull look,
    void *_Nonnull context, swi_failure *_Nonnull failure);

typedef struct swi_jpeg_encode_request {
    int width, height;
    int quality;
    int progressive;
    /// Makes Huffman tables for the picture, and holds all of its coefficients. A progressive file always does.
    int optimize_coding;
    swi_should_stop _Nullable should_stop;
} swi_jpeg_encode_request;

/// Reads RGBA rows without padding and ignores alpha. `output` is empty unless the result is `SWI_OK`.
int swi_jpeg_encode(
    const uint8_t *_Nonnull rgba, const swi_jpeg_encode_request *_Nonnull request, swi_bytes *_Nonnull output,
    swi_failure *_Nonnull failure);

/// Draws RGBA rows, not premultiplied, top down, without padding. Sixteen bits become eight by the
/// profile, or by dropping the low byte.
///
/// Chunks that no pixel depends on are skipped, and nothing is inflated after the last row. A file that lacks its last
/// chunk alone has every row: that is an error for `SWI_FAIL_ON_ANY_DAMAGE`. A file that lacks rows is `SWI_TRUNCATED`, and
/// broken data are `SWI_MALFORMED`; for `SWI_FAIL_NEVER` the missing pixels are clear. An interlaced picture needs room for all
/// rows.
int swi_png_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_decode_request *_Nonnull request,
    uint8_t *_Nonnull rgba, swi_failure *_Nonnull failure);

typedef struct swi_png_encode_request {
    uint32_t width, height;
    /// 0 to 9, as zlib counts.
    int level;
    /// Zero writes RGB and ignores alpha.
    int has_alpha;
    /// RGB, three bytes a colour, for a file with a palette; or none.
    const uint8_t *_Nullable palette;
    int palette_count;
    /// The palette's transparent entry; -1 for none.
    int transparent;
    swi_should_stop _Nullable should_stop;
} swi_png_encode_request;

/// Reads RGBA rows, not premultiplied, without padding; with a palette, an index a pixel. `output` is empty unless the result is `SWI_OK`.
int swi_png_encode(
    const uint8_t *_Nonnull rgba, const swi_png_encode_request *_Nonnull request, swi_bytes *_Nonnull output,
    swi_failure *_Nonnull failure);

/// The source samples of an output sample.
typedef struct swi_tap {
    int32_t first, end;
    /// The number of pairs of them.
    int32_t pairs;
    /// Where their weights begin, in pairs.
    int32_t place;
} swi_tap;

/// The weights of one direction of a resize.
typedef struct swi_taps {
    /// One for each output sample.
    const swi_tap *_Nonnull of;
    /// Those of an output sample add up to `1 << shift`.
    const int16_t *_Nonnull weights;
    int shift;
} swi_taps;

typedef struct swi_resampling {
    /// The size of the source, and the columns of it that have a weight; `left` is even.
    size_t width, height, left, right;
    size_t target_width;
    /// The first samples are even, and each pair of weights is there four times, for the four channels. After those of
    /// an output sample there is one more pair, of zeros.
    swi_taps across;
    swi_taps down;
    /// How many bits after the point a sample has between the two directions.
    int fraction;
    /// Called before each row of the result; and within one that depends on hundreds of rows, for each 256 columns. In
    /// light, before each row of the source.
    swi_should_stop _Nullable should_stop;
} swi_resampling;

/// Makes rows `from..<to` of the result, premultiplied RGBA.
///
/// `rows` holds the rows of the source that they need, premultiplied RGBA, row `y` at `y % capacity`. `line` has room for
/// `width * 4 + 128` samples; those from `left * 4` on are overwritten, and were zero before the first call. Returns 1 when
/// it was stopped; the rows are then not all made.
int swi_resample(
    const swi_resampling *_Nonnull job, const uint8_t *_Nonnull rows, size_t capacity, size_t from, size_t to,
    int16_t *_Nonnull line, uint8_t *_Nonnull target);

/// Like `swi_resample`, in light. Each row is made once, in order.
///
/// `tables` holds the light of 256 sRGB values, and the sRGB values of 16,385 steps of light. `light` has room for a row of
/// the source and two pixels, and for `reach` rows of the result, four numbers a pixel.
int swi_resample_light(
    const swi_resampling *_Nonnull job, const float *_Nonnull tables, const uint8_t *_Nonnull rows, size_t capacity,
    size_t from, size_t to, float *_Nonnull light, size_t reach, uint8_t *_Nonnull target);

#include "pixels.h"
#include "formats.h"

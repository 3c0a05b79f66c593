// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

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

/// Bytes from `malloc`, freed by `swi_bytes_free`.
typedef struct swi_bytes {
    uint8_t *_Nullable start;
    size_t count;
    size_t capacity;
} swi_bytes;

void swi_bytes_free(swi_bytes *_Nonnull bytes);

/// The check sum of PNG's chunks.
uint32_t swi_crc32(const uint8_t *_Nonnull bytes, size_t count);

typedef struct swi_jpeg_decode_request {
    /// 1, 2, 4 or 8: the picture is drawn at `1 / denominator` of its size, each side rounded up.
    int denominator;
    /// The size in the header. Another size in the file ends the decode with `SWI_MALFORMED`.
    int width, height;
    int max_scans;
    /// Where the first pixel goes, and how far a step right and a step down in the picture lead, in pixels of the
    /// bitmap: this is how a picture is turned while it is drawn.
    ptrdiff_t start, right, down;
    /// The rows that the bitmap has room for: row `y` is drawn at `y % capacity`, unless the picture is turned. They are
    /// overwritten when `drew` returns; at most 16 rows are drawn between two calls.
    size_t capacity;
    /// For a bitmap without room for all rows. Rows that are missing in the end are not drawn.
    swi_drew _Nullable drew;
    void *_Nullable rows;
    swi_look _Nonnull look;
    void *_Nonnull context;
    /// One of `SWI_FAIL_...`.
    int fail_on;
    /// Gets the bits of the damage.
    int *_Nonnull damage;
} swi_jpeg_decode_request;

/// Draws RGBA rows, opaque, without padding. CMYK is read as Adobe stores it: inverted.
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
    swi_should_stop _Nullable should_stop;
} swi_jpeg_encode_request;

/// Reads RGBA rows without padding and ignores alpha. `output` is empty unless the result is `SWI_OK`.
int swi_jpeg_encode(
    const uint8_t *_Nonnull rgba, const swi_jpeg_encode_request *_Nonnull request, swi_bytes *_Nonnull output,
    swi_failure *_Nonnull failure);

typedef struct swi_png_decode_request {
    /// The size in the header. Another size in the file ends the decode with `SWI_MALFORMED`.
    uint32_t width, height;
    /// As in `swi_jpeg_decode_request`; a picture that is interlaced needs room for all rows.
    size_t capacity;
    swi_drew _Nullable drew;
    void *_Nullable rows;
    swi_look _Nonnull look;
    void *_Nonnull context;
    /// One of `SWI_FAIL_...`.
    int fail_on;
    /// Gets the bits of the damage.
    int *_Nonnull damage;
} swi_png_decode_request;

/// Draws RGBA rows, not premultiplied, top down, without padding. Sixteen bits become eight by dropping the low byte.
///
/// Chunks that no pixel depends on are skipped, and nothing is inflated after the last row. A file that lacks its last
/// chunk alone has every row: that is an error for `SWI_FAIL_ON_ANY_DAMAGE`. A file that lacks rows is `SWI_TRUNCATED`, and
/// broken data are `SWI_MALFORMED`; for `SWI_FAIL_NEVER` the missing pixels are clear.
int swi_png_decode(
    const uint8_t *_Nonnull bytes, size_t count, const swi_png_decode_request *_Nonnull request,
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

/// The weights of one direction of a resize.
typedef struct swi_taps {
    /// The first source sample of each output sample.
    const int32_t *_Nonnull first;
    /// The number of pairs of source samples of each output sample.
    const int32_t *_Nonnull pairs;
    /// Where the weights of each output sample begin, in pairs.
    const int32_t *_Nonnull places;
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
} swi_resampling;

/// Makes rows `from..<to` of the result, premultiplied RGBA.
///
/// `rows` holds the rows of the source that they need, premultiplied RGBA, row `y` at `y % capacity`. `line` has room for
/// `width * 4 + 128` samples; those from `left * 4` on are overwritten, and were zero before the first call.
void swi_resample(
    const swi_resampling *_Nonnull job, const uint8_t *_Nonnull rows, size_t capacity, size_t from, size_t to,
    int16_t *_Nonnull line, uint8_t *_Nonnull target);

/// Premultiplies in place: each colour becomes `colour * alpha / 255`, rounded to the nearest.
///
/// Returns whether a pixel is transparent. `count` is a number of bytes, here and below.
int swi_premultiply(uint8_t *_Nonnull rgba, size_t count);

/// Makes `colour * 255 / alpha`, rounded to the nearest, of each colour in place; black where alpha is 0.
void swi_unpremultiply(uint8_t *_Nonnull rgba, size_t count);

/// Lays premultiplied pixels over an opaque colour, in place.
void swi_flatten(uint8_t *_Nonnull rgba, size_t count, const uint8_t *_Nonnull colour);

/// Blends pixels that are not premultiplied over premultiplied ones.
void swi_blend(const uint8_t *_Nonnull above, uint8_t *_Nonnull below, size_t count);

/// Whether every alpha is 255.
int swi_is_opaque(const uint8_t *_Nonnull rgba, size_t count);

/// Tints premultiplied pixels in place: the colour within their alpha, or multiplied with theirs.
void swi_tint(uint8_t *_Nonnull rgba, size_t count, const uint8_t *_Nonnull colour, int multiplies);

/// Changes premultiplied colours in place: red, green and blue times three numbers each of `matrix`, and its tenth times
/// alpha. No colour rises above alpha, which stays.
void swi_color(uint8_t *_Nonnull rgba, size_t count, const float *_Nonnull matrix);

/// Adds to `rgba` what a blur took away from it, times `amount`, in place of the blurred pixels. Alpha stays.
void swi_sharpen(const uint8_t *_Nonnull rgba, uint8_t *_Nonnull blurred, size_t count, float amount);

/// How pixels are mixed with those below them.
enum {
    SWI_NORMAL, SWI_MULTIPLY, SWI_SCREEN, SWI_OVERLAY, SWI_HARD_LIGHT, SWI_DARKEN, SWI_LIGHTEN, SWI_DIFFERENCE, SWI_PLUS
};

/// Draws premultiplied pixels over others, times `opacity`, in one of the modes above.
void swi_overlay(
    const uint8_t *_Nonnull above, uint8_t *_Nonnull below, size_t count, float opacity, int mode);

/// Moves rows of a picture to the places `start + x * right + y * down` of a target of the same number of pixels.
void swi_move(
    const uint8_t *_Nonnull rgba, size_t width, size_t from_row, size_t to_row, int64_t start, int64_t right,
    int64_t down, uint8_t *_Nonnull target);

/// The number of pixels of a row, from its beginning or its end, of which no sample is farther than `tolerance` from
/// that of `edge`.
size_t swi_first_other(
    const uint8_t *_Nonnull rgba, size_t count, const uint8_t *_Nonnull edge, uint8_t tolerance, int backwards);

typedef struct swi_turning {
    int64_t width, height;
    int64_t canvas_width, canvas_height;
    double sine, cosine;
    uint8_t background[4];
} swi_turning;

/// Draws a row of a picture turned around its middle, each pixel from the four around its place.
void swi_turn_row(
    const uint8_t *_Nonnull rgba, const swi_turning *_Nonnull job, int64_t y, uint8_t *_Nonnull row);

typedef struct swi_shape {
    int64_t width, height;
    /// Top left, top right, bottom left, bottom right.
    double radii[4];
    double border;
    uint8_t color[4];
} swi_shape;

/// Draws the border and clears what is outside of a rectangle with round corners, in some columns of a row.
void swi_round_row(
    uint8_t *_Nonnull row, const swi_shape *_Nonnull shape, int64_t y, int64_t from, int64_t to);

/// Adds the colours of pixels of at least half alpha, as `0xRRGGBB`, to those found so far, in ascending order.
///
/// Returns zero when there are more than `limit`.
int swi_add_colours(
    uint32_t *_Nonnull colours, size_t *_Nonnull colour_count, size_t limit, const uint8_t *_Nonnull rgba, size_t count);

/// How many pixels there are in each cell of five bits a channel, and their mean. A megabyte.
typedef struct swi_histogram swi_histogram;

/// Null when there is no memory.
swi_histogram *_Nullable swi_histogram_create(void);
void swi_histogram_free(swi_histogram *_Nullable histogram);

/// Counts pixels of at least half alpha.
void swi_histogram_add(swi_histogram *_Nonnull histogram, const uint8_t *_Nonnull rgba, size_t count);

/// Chooses at most `limit` colours, at most 256, by median cut, and uses the histogram up. Returns their number.
size_t swi_histogram_cut(swi_histogram *_Nonnull histogram, size_t limit, uint32_t *_Nonnull colours);

typedef struct swi_indexing {
    size_t width;
    /// The palette, `0xRRGGBB`; ascending if `is_exact`.
    const uint32_t *_Nonnull colours;
    size_t colour_count;
    /// Whether the palette has every colour.
    int is_exact;
    /// The index of pixels of less than half alpha.
    uint8_t transparent;
    /// The nearest entry of each cell of six bits a channel, -1 before it is looked up.
    int16_t *_Nonnull nearest;
    /// The errors of a row and the next, of three numbers for each of `width + 2` columns; null without diffusion.
    int32_t *_Nullable errors;
    int32_t *_Nullable below;
} swi_indexing;

/// Finds the indexes of a row, which is not premultiplied, after the row above it.
void swi_index_row(swi_indexing *_Nonnull job, const uint8_t *_Nonnull rgba, uint8_t *_Nonnull indexes);

/// Draws pixels of a palette of 256 RGBA colours, but for those of the transparent index.
void swi_draw_indexes(
    const uint8_t *_Nonnull indexes, size_t count, const uint8_t *_Nonnull palette, int transparent,
    uint8_t *_Nonnull rgba);

#include "formats.h"

// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Loops over all pixels of a picture, and the palettes of its colours.

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

/// Adds to `rgba` what a blur took away from it, times `amount`, in place of the blurred pixels, which are those from
/// byte `from` on. Alpha stays.
void swi_sharpen(
    const uint8_t *_Nonnull rgba, size_t from, uint8_t *_Nonnull blurred, size_t count, float amount);

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
    const uint8_t *_Nonnull rgba, const swi_turning *_Nonnull job, int64_t y, uint8_t *_Nonnull canvas);

typedef struct swi_shape {
    int64_t width, height;
    /// Top left, top right, bottom left, bottom right.
    double radii[4];
    double border;
    uint8_t color[4];
} swi_shape;

/// Draws the border and clears what is outside of a rectangle with round corners, in some columns of row `y`.
void swi_round_row(
    uint8_t *_Nonnull rgba, const swi_shape *_Nonnull shape, int64_t y, int64_t from, int64_t to);

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
    size_t colour_count;
    /// Whether the palette has every colour.
    int is_exact;
    /// Whether errors are passed on, which an exact palette has none of.
    int is_dithered;
    /// The index of pixels of less than half alpha.
    uint8_t transparent;
} swi_indexing;

/// Finds the indexes of rows `from..<to` of a picture, which is not premultiplied, after those of the rows above them.
///
/// `colours` is the palette, `0xRRGGBB`; ascending if it is exact. `nearest` holds the nearest entry of each cell of six
/// bits a channel, -1 before it is looked up. `errors` holds the errors of two rows, three numbers for each of
/// `width + 2` columns; zeros before the first row.
void swi_index_rows(
    const swi_indexing *_Nonnull job, const uint32_t *_Nonnull colours, int16_t *_Nonnull nearest,
    int32_t *_Nonnull errors, const uint8_t *_Nonnull rgba, size_t from, size_t to, uint8_t *_Nonnull indexes);

/// Draws pixels of a palette of 256 RGBA colours, but for those of the transparent index.
void swi_draw_indexes(
    const uint8_t *_Nonnull indexes, size_t count, const uint8_t *_Nonnull palette, int transparent,
    uint8_t *_Nonnull rgba);

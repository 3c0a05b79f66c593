// SPDX-License-Identifier: MIT
// The loops over every pixel of a scene. They are C because a debug build of Swift takes ten times as long.
//
// Additions, multiplications, divisions and square roots alone, and none of them fused: the same pixels on every machine.
#ifndef CSCENESHIMS_H
#define CSCENESHIMS_H

#include <CPictureShims.h>
#include <stdint.h>

/// A colour; each part from 0 to 1, as sRGB encodes it.
typedef struct swi_tone {
    float red, green, blue;
} swi_tone;

/// One row of a picture. `step` is a pixel's width, `pixel` the larger of its sides, `y` the row's middle; shapes are drawn
/// in the columns from `first` up to `last`, which lie in the row.
typedef struct swi_line {
    int width, first, last;
    float step, pixel, y;
    float *red, *green, *blue, *mask;
} swi_line;

// Whole rows.
void swi_line_fill(const swi_line *line, swi_tone tone);
void swi_line_blend(const swi_line *line, swi_tone tone, float part);
void swi_line_blend_mask(const swi_line *line, swi_tone tone, float part, float low, float high);
void swi_line_shade(const swi_line *line, float amount);
void swi_line_glow(const swi_line *line, float x, float y, float radius, swi_tone tone, float strength, float flat);
void swi_line_clear_mask(const swi_line *line);

/// Adds gradient noise to a row: `line` and `column` are the cell of its lattice that the first pixel lies in, `down` and
/// `part` how far in it. `order` are the 256 numbers below 256.
void swi_noise_row(
    float *row, int count, const unsigned char *order, float amount, long line, float down, long column, float part,
    float step);

/// Land below an outline. `sides` are slopes that take light; NaN for `level` means that colours change below the outline.
void swi_line_ridge(
    const swi_line *line, const float *heights, const float *slopes, const float *sides, swi_tone crest, swi_tone foot,
    float depth, float level, float relief, float lean);

// Shapes.
void swi_line_ellipse(
    const swi_line *line, float x, float y, float radius_x, float radius_y, swi_tone tone, float opacity, float cosine,
    float sine);
void swi_line_spot(const swi_line *line, float x, float y, float radius, swi_tone tone, float opacity, float flat);
/// At most eight corners, clockwise.
void swi_line_polygon(const swi_line *line, const float *corners, int count, swi_tone tone, float opacity);
void swi_line_stroke(
    const swi_line *line, float x1, float y1, float x2, float y2, float width, swi_tone tone, float opacity);
/// What two discs of one radius have in common.
void swi_line_lens(const swi_line *line, float x1, float y1, float x2, float y2, float radius, swi_tone tone);
/// Windows of a house: those of `columns` rooms whose bits of `lights` are set, `wide` of a room's width.
void swi_line_windows(
    const swi_line *line, float left, float right, int columns, int lights, float wide, swi_tone tone, float opacity);
/// Light on the crests that the mask holds, around `x`.
void swi_line_path(const swi_line *line, float x, float wide, swi_tone tone, float opacity);
/// A ball with bands of five colours that the mask bends, lit from a direction.
void swi_line_ball(
    const swi_line *line, float x, float y, float radius, const swi_tone *bands, float cosine, float sine,
    const float *light);
/// One half of a planet's ring.
void swi_line_ring(
    const swi_line *line, float x, float y, float radius, swi_tone tone, float cosine, float sine, float light_x,
    int is_front);
/// A row of the Julia set of `cx + i cy`. `palette` has 257 colours; points that stay are
/// `inside` where they end up near 0, and `core` where they end up far from it.
void swi_line_julia(
    const swi_line *line, float x, float y, float step_x, float step_y, float cx, float cy, const swi_tone *palette,
    float start, float period, swi_tone inside, swi_tone core);

// Pixels of four bytes, premultiplied.

/// Writes a row as opaque pixels, dithered.
void swi_line_write(const swi_line *line, int y, uint8_t *pixels);

#endif

// SPDX-License-Identifier: MIT
#ifndef SWI_SCENE_INNER_H
#define SWI_SCENE_INNER_H

#include "CSceneShims.h"
#include <math.h>

#pragma STDC FP_CONTRACT OFF

#define SWI_INNER static inline __attribute__((always_inline))

SWI_INNER float swi_unit(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }
SWI_INNER float swi_smaller(float a, float b) { return a < b ? a : b; }
SWI_INNER float swi_root(float value) { return __builtin_sqrtf(value); }

SWI_INNER float swi_smooth(float start, float end, float value) {
    float part = swi_unit((value - start) / (end - start));
    return part * part * (3 - 2 * part);
}

SWI_INNER void swi_mix(const swi_line *line, int k, swi_tone tone, float part) {
    line->red[k] += (tone.red - line->red[k]) * part;
    line->green[k] += (tone.green - line->green[k]) * part;
    line->blue[k] += (tone.blue - line->blue[k]) * part;
}

SWI_INNER swi_tone swi_mixed(swi_tone a, swi_tone b, float part) {
    a.red += (b.red - a.red) * part;
    a.green += (b.green - a.green) * part;
    a.blue += (b.blue - a.blue) * part;
    return a;
}

SWI_INNER swi_tone swi_scaled(swi_tone tone, float factor) {
    tone.red *= factor;
    tone.green *= factor;
    tone.blue *= factor;
    return tone;
}

/// The column at or left of a place, within the columns that are drawn.
SWI_INNER int swi_column(const swi_line *line, float x) {
    float place = x / line->step;
    if (!(place > (float)line->first)) return line->first;
    return place < (float)line->last ? (int)place : line->last;
}

/// Runs over the columns between two places; `x` is the middle of column `k`.
#define SWI_COLUMNS(line, from, to)                                                                              \
    for (int k = swi_column(line, from), end_ = swi_column(line, (to) + (line)->step); k < end_; k++)

#define SWI_X(line) (((float)k + 0.5f) * (line)->step)

#endif

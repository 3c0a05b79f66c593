// SPDX-License-Identifier: MIT
#include "CPictureShims.h"

#pragma STDC FP_CONTRACT OFF

enum { cells = 32, halves = 6 };

float swi_sine(float turns) {
    // Far from 0 a number of turns has no fraction worth the name.
    if (!(turns > -1e6f && turns < 1e6f)) return 0;
    float part = turns - (float)(int)turns;
    if (part > 0.5f) part -= 1;
    if (part < -0.5f) part += 1;
    float rough = 8 * part - 16 * part * (part < 0 ? -part : part);
    return rough + 0.225f * (rough * (rough < 0 ? -rough : rough) - rough);
}

/// Calls for each wave: `across` and `down` half periods over the picture, number `k`.
#define SWI_WAVES(k, across, down)                       \
    for (int down = 1, k = 0; down <= 5; down++)         \
        for (int across = 1; across <= halves; across++) \
            if (!(across == 1 && down == 1) && !(across == 6 && down == 5))

/// The middle of a picture's side, a wave of `half` half periods.
static float wave(int half, float place) { return swi_sine((float)half * place / 2 + 0.25f); }

/// The mean over a cell makes a wave weaker; this makes it as strong again.
static float loss(int half, int count) {
    float angle = (float)half / (float)count * 1.5708f;
    return 1 + angle * angle / 6;
}

/// The weighted sum of the samples of a cell, as if all its pixels had been looked at.
static float cell_sum(
    const uint8_t *pixels, int width, int left, int right, int top, int bottom, const int *weights) {
    // Four rows and eight columns tell the colour of a large cell.
    int step_x = right - left > 8 ? (right - left) / 8 : 1, step_y = bottom - top > 4 ? (bottom - top) / 4 : 1;
    int sum = 0, count = 0;
    for (int y = top; y < bottom; y += step_y) {
        const uint8_t *p = pixels + ((int64_t)y * width + left) * 4;
        for (int x = left; x < right; x += step_x, p += 4 * step_x) {
            sum += p[0] * weights[0] + p[1] * weights[1] + p[2] * weights[2];
            count++;
        }
    }
    return (float)sum / (float)count * ((float)(right - left) * (float)(bottom - top));
}

void swi_mark_read(const uint8_t *pixels, int width, int height, const int *weights, float *strengths) {
    int columns = width < cells ? width : cells, rows = height < cells ? height : cells;
    float across_waves[halves + 1][cells], parts[halves + 1][cells];
    for (int half = 1; half <= halves; half++) {
        for (int k = 0; k < columns; k++) {
            int64_t middle = (int64_t)k * width / columns + (int64_t)(k + 1) * width / columns;
            across_waves[half][k] = wave(half, (float)middle / (float)(2 * (int64_t)width));
        }
    }
    for (int row = 0; row < rows; row++) {
        int top = (int)((int64_t)row * height / rows), bottom = (int)((int64_t)(row + 1) * height / rows);
        for (int half = 1; half <= halves; half++) parts[half][row] = 0;
        for (int k = 0; k < columns; k++) {
            int left = (int)((int64_t)k * width / columns), right = (int)((int64_t)(k + 1) * width / columns);
            float sum = cell_sum(pixels, width, left, right, top, bottom, weights);
            for (int half = 1; half <= halves; half++) parts[half][row] += sum * across_waves[half][k];
        }
    }
    float scale = 1 / ((float)width * (float)height), down_waves[6][cells];
    for (int row = 0; row < rows; row++) {
        int64_t middle = (int64_t)row * height / rows + (int64_t)(row + 1) * height / rows;
        for (int half = 1; half <= 5; half++) {
            down_waves[half][row] = wave(half, (float)middle / (float)(2 * (int64_t)height));
        }
    }
    SWI_WAVES(k, across, down) {
        float sum = 0;
        for (int row = 0; row < rows; row++) sum += parts[across][row] * down_waves[down][row];
        strengths[k++] = sum * scale * loss(across, columns) * loss(down, rows);
    }
}

static inline __attribute__((always_inline)) uint8_t within(int value, int alpha) { return (uint8_t)(value < 0 ? 0 : value > alpha ? alpha : value); }

/// Adds to pixels what begins with `amount` and grows by `slope`.
static void add(uint8_t *p, int y, int left, int right, float amount, float slope, int is_color) {
    for (int x = left; x < right; x++, p += 4, amount += slope) {
        // A whole number, and more or less often the next one, as the dither has it; 512 makes it positive.
        int change = (int)(amount + swi_threshold(x, y) + 512) - 512, rest = -change;
        if (change == 0) continue;
        uint8_t blue = within(p[2] + change, p[3]);
        if (is_color) rest = change - (blue - p[2]);
        p[2] = blue;
        if (rest == 0) continue;
        p[0] = within(p[0] - rest, p[3]);
        p[1] = within(p[1] - rest, p[3]);
    }
}

void swi_mark_add(uint8_t *pixels, int width, int height, const float *changes, int is_color) {
    // Between two nodes the sum of the waves is taken for straight.
    enum { most = 36 };
    int nodes = width < most ? width : most;
    float across_waves[halves + 1][most + 1];
    for (int half = 1; half <= halves; half++) {
        for (int k = 0; k <= nodes; k++) {
            across_waves[half][k] = wave(half, (float)((int64_t)k * width / nodes) / (float)width);
        }
    }
    for (int y = 0; y < height; y++) {
        float strengths[halves + 1] = {0}, down_waves[6], start = 0;
        for (int half = 1; half <= 5; half++) down_waves[half] = wave(half, ((float)y + 0.5f) / (float)height);
        SWI_WAVES(k, across, down) strengths[across] += changes[k++] * down_waves[down];
        for (int node = 0; node <= nodes; node++) {
            float end = 0;
            for (int half = 1; half <= halves; half++) end += strengths[half] * across_waves[half][node];
            if (node > 0) {
                int left = (int)((int64_t)(node - 1) * width / nodes), right = (int)((int64_t)node * width / nodes);
                float slope = (end - start) / (float)(right - left);
                uint8_t *p = pixels + ((int64_t)y * width + left) * 4;
                add(p, y, left, right, start + slope / 2, slope, is_color);
            }
            start = end;
        }
    }
}

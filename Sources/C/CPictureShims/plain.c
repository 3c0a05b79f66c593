// SPDX-License-Identifier: MIT
#include "CPictureShims.h"

#pragma STDC FP_CONTRACT OFF

enum { waves = 3, discs = 5 };

/// Number `index` that the seed draws, from `low` up to `high`.
static float drawn(uint32_t seed, uint32_t index, float low, float high) {
    uint32_t value = seed * 64 + index + 1;
    value = (value ^ value >> 16) * 0x7FEB352D;
    value = (value ^ value >> 15) * 0x846CA68B;
    return low + (high - low) * (float)((value ^ value >> 16) >> 8) / (float)(1 << 24);
}

static float mixed(float from, float to, float part) { return from + (to - from) * part; }

/// The columns of a row that lie in a disc.
typedef struct span {
    float middle, half;
    float color[3];
} span;

static int find_spans(span *spans, uint32_t seed, float down, float phase) {
    int count = 0;
    for (uint32_t disc = 0; disc < discs; disc++) {
        uint32_t first = 20 + disc * 8;
        float radius = drawn(seed, first, 0.06f, 0.25f), off = down - drawn(seed, first + 1, 0, 1);
        float square = radius * radius - off * off;
        if (square <= 0) continue;
        span *it = &spans[count++];
        // There and back.
        it->middle = drawn(seed, first + 2, 0, 1) + 0.15f * swi_sine(drawn(seed, first + 3, 0, 1) + phase);
        it->half = __builtin_sqrtf(square);
        for (uint32_t part = 0; part < 3; part++) it->color[part] = drawn(seed, first + 4 + part, 0.1f, 0.95f);
    }
    return count;
}

static void draw_row(uint8_t *row, int width, int height, int y, uint32_t seed, float phase) {
    float down = ((float)y + 0.5f) / (float)height, step = 1 / (float)width;
    float left[3], right[3], turns[waves], turn[waves], strength[waves];
    for (uint32_t part = 0; part < 3; part++) {
        left[part] = mixed(drawn(seed, part, 0.2f, 0.9f), drawn(seed, 3 + part, 0.1f, 0.8f), down);
        right[part] = mixed(drawn(seed, 6 + part, 0.2f, 0.9f), drawn(seed, 9 + part, 0.1f, 0.8f), down);
    }
    for (uint32_t wave = 0; wave < waves; wave++) {
        // Each wave is finer and weaker than the one before.
        float most = 4 * (float)((wave + 1) * (wave + 1));
        turn[wave] = drawn(seed, 12 + wave * 2, 1, most) * step;
        turns[wave] = phase + drawn(seed, 13 + wave * 2, 1, most) * down + turn[wave] / 2;
        strength[wave] = 0.16f / (float)(wave + 1);
    }
    span spans[discs];
    int count = find_spans(spans, seed, down, phase);
    for (int x = 0; x < width; x++, row += 4) {
        float across = ((float)x + 0.5f) * step, shade = 1;
        for (int wave = 0; wave < waves; wave++) {
            // A triangle from -1 to 1.
            float part = turns[wave] - (float)(int)turns[wave];
            shade += strength[wave] * ((part < 0.5f ? part : 1 - part) * 4 - 1);
            turns[wave] += turn[wave];
        }
        float color[3];
        for (int part = 0; part < 3; part++) color[part] = mixed(left[part], right[part], across) * shade;
        for (int index = 0; index < count; index++) {
            float off = across - spans[index].middle;
            // An edge is as soft as a pixel is wide.
            float cover = (spans[index].half - (off < 0 ? -off : off)) * (float)width + 0.5f;
            if (cover <= 0) continue;
            for (int part = 0; part < 3; part++) {
                color[part] = mixed(color[part], spans[index].color[part] * shade, cover < 1 ? cover : 1);
            }
        }
        float rest = swi_threshold(x, y);
        for (int part = 0; part < 3; part++) {
            float value = color[part] * 255 + rest;
            row[part] = value > 255 ? 255 : value > 0 ? (uint8_t)value : 0;
        }
        row[3] = 255;
    }
}

void swi_plain(uint8_t *pixels, int width, int height, uint32_t seed, float phase) {
    for (int y = 0; y < height; y++) draw_row(pixels + (int64_t)y * width * 4, width, height, y, seed, phase);
}

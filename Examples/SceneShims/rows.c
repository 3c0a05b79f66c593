// SPDX-License-Identifier: MIT
#include "inner.h"

#pragma STDC FP_CONTRACT OFF

void swi_line_fill(const swi_line *line, swi_tone tone) {
    for (int k = 0; k < line->width; k++) {
        line->red[k] = tone.red;
        line->green[k] = tone.green;
        line->blue[k] = tone.blue;
    }
}

void swi_line_blend(const swi_line *line, swi_tone tone, float part) {
    for (int k = 0; k < line->width; k++) swi_mix(line, k, tone, part);
}

void swi_line_blend_mask(const swi_line *line, swi_tone tone, float part, float low, float high) {
    float scale = 1 / (high - low);
    for (int k = 0; k < line->width; k++) {
        float place = (line->mask[k] - low) * scale;
        if (place <= 0) continue;
        if (place > 1) place = 1;
        swi_mix(line, k, tone, part * place * place * (3 - 2 * place));
    }
}

void swi_line_shade(const swi_line *line, float amount) {
    for (int k = 0; k < line->width; k++) {
        float factor = 1 + line->mask[k] * amount;
        line->red[k] *= factor;
        line->green[k] *= factor;
        line->blue[k] *= factor;
    }
}

void swi_line_glow(const swi_line *line, float x, float y, float radius, swi_tone tone, float strength, float flat) {
    float area = radius * radius, down = line->y - y, first = down * down + area;
    float step = line->step / flat, across = (line->step / 2 - x) / flat;
    strength *= area;
    for (int k = 0; k < line->width; k++) {
        swi_mix(line, k, tone, strength / (first + across * across));
        across += step;
    }
}

void swi_line_clear_mask(const swi_line *line) {
    for (int k = 0; k < line->width; k++) line->mask[k] = 0;
}

/// A number of the corner of a cell, 0 to 15: the direction of its slope.
static int direction(const unsigned char *order, long column, long row) {
    return order[(order[row & 255] + column) & 255] & 15;
}

void swi_noise_row(
    float *row, int count, const unsigned char *order, float amount, long line, float down, long column, float part,
    float step) {
    static const float across[16] = {
        1, 0.924f, 0.707f, 0.383f, 0, -0.383f, -0.707f, -0.924f, -1, -0.924f, -0.707f, -0.383f, 0, 0.383f, 0.707f, 0.924f,
    };
    float ease = down * down * down * (down * (down * 6 - 15) + 10);
    int index = 0;
    while (index < count) {
        int top_left = direction(order, column, line), top_right = direction(order, column + 1, line);
        int foot_left = direction(order, column, line + 1), foot_right = direction(order, column + 1, line + 1);
        // The slope down is the slope across of a direction a quarter of a turn on.
        float left = (across[(top_left + 12) & 15] * down * (1 - ease)
                      + across[(foot_left + 12) & 15] * (down - 1) * ease) * amount;
        float right = (across[(top_right + 12) & 15] * down * (1 - ease)
                       + across[(foot_right + 12) & 15] * (down - 1) * ease) * amount;
        float left_slope = (across[top_left] * (1 - ease) + across[foot_left] * ease) * amount;
        float right_slope = (across[top_right] * (1 - ease) + across[foot_right] * ease) * amount;
        float x = part;
        while (x < 1 && index < count) {
            float a = left + left_slope * x, b = right + right_slope * (x - 1);
            row[index++] += a + (b - a) * (x * x * (3 - 2 * x));
            x += step;
        }
        long whole = (long)x - (x < (float)(long)x);
        column += whole;
        part = x - (float)whole;
    }
}

void swi_line_ridge(
    const swi_line *line, const float *heights, const float *slopes, const float *sides, swi_tone crest, swi_tone foot,
    float depth, float level, float relief, float lean) {
    float sharpness = 1 / line->pixel, scale = 1 / depth, shift = lean / line->step;
    int is_level = level == level, count = line->width;
    for (int k = 0; k < count; k++) {
        float down = line->y - heights[k], slope = slopes[k] < 0 ? -slopes[k] : slopes[k];
        float cover = down * sharpness / (1 + slope) + 0.5f;
        if (cover <= 0) continue;
        float part = swi_unit((is_level ? line->y - level : down) * scale);
        swi_tone tone = swi_mixed(crest, foot, part);
        if (relief != 0) {
            int place = k + (int)(down * shift);
            float light = sides[place < 0 ? 0 : place >= count ? count - 1 : place];
            light = light > 1.2f ? 1.2f : light < -1.2f ? -1.2f : light;
            tone = swi_scaled(tone, 1 + relief * light * (1 - part));
        }
        swi_mix(line, k, tone, cover < 1 ? cover : 1);
    }
}

void swi_line_path(const swi_line *line, float x, float wide, swi_tone tone, float opacity) {
    float across = (line->step / 2 - x) / wide, step = line->step / wide;
    for (int k = 0; k < line->width; k++) {
        float square = across * across, light = swi_unit((line->mask[k] - 0.02f) * 5) / (1 + square * square);
        if (light > 0.01f) swi_mix(line, k, tone, light * opacity);
        across += step;
    }
}

/// The logarithm to base 2, to a hundredth, of a positive number.
SWI_INNER float swi_log2(float value) {
    union {
        float number;
        uint32_t bits;
    } it = {value};
    float exponent = (float)((int)(it.bits >> 23 & 0xFF) - 127);
    it.bits = (it.bits & 0x7FFFFF) | 0x3F800000;
    float mantissa = it.number - 1;
    return exponent + mantissa * (1.34f - 0.34f * mantissa);
}

void swi_line_julia(
    const swi_line *line, float x, float y, float step_x, float step_y, float cx, float cy, const swi_tone *palette,
    float start, float period, swi_tone inside, swi_tone core) {
    // After so many steps a point is taken to stay.
    enum { longest = 48 };
    for (int k = 0; k < line->width; k++) {
        float zx = x + step_x * (float)k, zy = y + step_y * (float)k;
        float xx = zx * zx, yy = zy * zy;
        int count = 0;
        while (xx + yy < 100 && count < longest) {
            zy = 2 * zx * zy + cy;
            zx = xx - yy + cx;
            xx = zx * zx;
            yy = zy * zy;
            count++;
        }
        float square = xx + yy;
        if (count == longest) {
            swi_mix(line, k, swi_mixed(inside, core, square < 1 ? square : 1), 1);
            continue;
        }
        // What changes too fast for pixels calms down to one colour.
        float smooth = (float)count + 1 - swi_log2(swi_log2(square) / 6.644f);
        float place = swi_log2((smooth > 0 ? smooth : 0) + 2) * period + start;
        int whole = (int)place;
        swi_tone tone = swi_mixed(palette[whole & 255], palette[(whole & 255) + 1], place - (float)whole);
        swi_mix(line, k, swi_mixed(tone, inside, swi_smooth(20, 48, smooth) * 0.55f), 1);
    }
}

SWI_INNER uint8_t byte(float part, float rest) {
    float value = part * 255 + rest;
    return value > 255 ? 255 : value > 0 ? (uint8_t)value : 0;
}

void swi_line_write(const swi_line *line, int y, uint8_t *pixels) {
    uint8_t *p = pixels + (int64_t)y * line->width * 4;
    for (int x = 0; x < line->width; x++, p += 4) {
        float rest = swi_threshold(x, y);
        p[0] = byte(line->red[x], rest);
        p[1] = byte(line->green[x], rest);
        p[2] = byte(line->blue[x], rest);
        p[3] = 255;
    }
}

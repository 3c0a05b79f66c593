// SPDX-License-Identifier: MIT
#include "inner.h"

#pragma STDC FP_CONTRACT OFF

void swi_line_ellipse(
    const swi_line *line, float x, float y, float radius_x, float radius_y, swi_tone tone, float opacity, float cosine,
    float sine) {
    float reach = sine == 0 ? radius_x : radius_x > radius_y ? radius_x : radius_y;
    float sharpness = swi_smaller(radius_x, radius_y) / line->pixel, down = line->y - y;
    reach += line->pixel;
    SWI_COLUMNS(line, x - reach, x + reach) {
        float across = SWI_X(line) - x;
        float along = (across * cosine + down * sine) / radius_x, side = (down * cosine - across * sine) / radius_y;
        float cover = (1 - swi_root(along * along + side * side)) * sharpness + 0.5f;
        if (cover > 0) swi_mix(line, k, tone, cover < 1 ? cover * opacity : opacity);
    }
}

void swi_line_spot(const swi_line *line, float x, float y, float radius, swi_tone tone, float opacity, float flat) {
    float down = (line->y - y) / radius, wide = radius * flat;
    SWI_COLUMNS(line, x - wide, x + wide) {
        float across = (SWI_X(line) - x) / wide, left = 1 - across * across - down * down;
        if (left > 0) swi_mix(line, k, tone, left * left * opacity);
    }
}

void swi_line_polygon(const swi_line *line, const float *corners, int count, swi_tone tone, float opacity) {
    float starts[8], slopes[8], left = INFINITY, right = -INFINITY;
    int edges = 0;
    for (int k = 0; k < count && k < 8; k++) {
        const float *a = corners + 2 * k, *b = corners + 2 * ((k + 1) % count);
        left = a[0] < left ? a[0] : left;
        right = a[0] > right ? a[0] : right;
        float dx = b[0] - a[0], dy = b[1] - a[1], length = swi_root(dx * dx + dy * dy) * line->pixel;
        if (length <= 0) continue;
        starts[edges] = ((line->y - a[1]) * dx + a[0] * dy) / length + 0.5f;
        slopes[edges++] = -dy / length;
    }
    SWI_COLUMNS(line, left - line->pixel, right + line->pixel) {
        float x = SWI_X(line), cover = 1;
        for (int edge = 0; edge < edges; edge++) cover = swi_smaller(cover, starts[edge] + slopes[edge] * x);
        if (cover > 0) swi_mix(line, k, tone, cover * opacity);
    }
}

void swi_line_stroke(
    const swi_line *line, float x1, float y1, float x2, float y2, float width, swi_tone tone, float opacity) {
    float dx = x2 - x1, dy = y2 - y1, square = dx * dx + dy * dy, py = line->y - y1;
    if (square < 1e-9f) square = 1e-9f;
    // A stroke thinner than a pixel is drawn a pixel wide and fainter.
    if (width < line->pixel) opacity *= width / line->pixel;
    float half = (width > line->pixel ? width : line->pixel) / 2, reach = half + line->pixel;
    SWI_COLUMNS(line, swi_smaller(x1, x2) - reach, (x1 > x2 ? x1 : x2) + reach) {
        float px = SWI_X(line) - x1, along = swi_unit((px * dx + py * dy) / square);
        float ox = px - along * dx, oy = py - along * dy;
        float cover = (half - swi_root(ox * ox + oy * oy)) / line->pixel + 0.5f;
        if (cover > 0) swi_mix(line, k, tone, (cover < 1 ? cover : 1) * opacity);
    }
}

void swi_line_lens(const swi_line *line, float x1, float y1, float x2, float y2, float radius, swi_tone tone) {
    float down1 = line->y - y1, down2 = line->y - y2;
    for (int k = line->first; k < line->last; k++) {
        float across1 = SWI_X(line) - x1, across2 = SWI_X(line) - x2;
        float one = swi_root(across1 * across1 + down1 * down1), other = swi_root(across2 * across2 + down2 * down2);
        float cover = (radius - (one > other ? one : other)) / line->pixel + 0.5f;
        if (cover > 0) swi_mix(line, k, tone, cover < 1 ? cover : 1);
    }
}

void swi_line_windows(
    const swi_line *line, float left, float right, int columns, int lights, float wide, swi_tone tone, float opacity) {
    float room = (right - left) / (float)columns, faint = swi_smaller(1, room * wide / line->pixel);
    SWI_COLUMNS(line, left, right) {
        float place = (SWI_X(line) - left) / room;
        int column = (int)place;
        if (place < 0 || column >= columns || !(lights >> column & 1)) continue;
        float off = place - (float)column - 0.5f;
        float cover = swi_unit((wide / 2 - (off < 0 ? -off : off)) * room / line->pixel + 0.5f);
        swi_mix(line, k, tone, cover * faint * opacity);
    }
}

void swi_line_ball(
    const swi_line *line, float x, float y, float radius, const swi_tone *bands, float cosine, float sine,
    const float *light) {
    float reach = radius + line->pixel, height = (line->y - y) / radius;
    SWI_COLUMNS(line, x - reach, x + reach) {
        float across = (SWI_X(line) - x) / radius, square = across * across + height * height;
        float cover = (1 - swi_root(square)) * radius / line->pixel + 0.5f;
        if (cover <= 0) continue;
        float front = square < 1 ? swi_root(1 - square) : 0, latitude = height * cosine - across * sine;
        float place = 2 + 2 * swi_sine(latitude * 1.15f + line->mask[k] + 0.13f * latitude * latitude);
        int band = place < 0 ? 0 : place < 3 ? (int)place : 3;
        swi_tone tone = swi_mixed(bands[band], bands[band + 1], swi_unit(place - (float)band));
        float facing = across * light[0] + height * light[1] + front * light[2];
        float rim = (1 - front) * (1 - front) * swi_unit(facing + 0.35f);
        tone = swi_scaled(tone, 0.07f + swi_smooth(-0.25f, 0.95f, facing));
        swi_mix(line, k, swi_mixed(tone, bands[2], rim * 0.5f), cover < 1 ? cover : 1);
    }
}

void swi_line_ring(
    const swi_line *line, float x, float y, float radius, swi_tone tone, float cosine, float sine, float light_x,
    int is_front) {
    float down = line->y - y, outer = radius * 2.05f;
    SWI_COLUMNS(line, x - outer, x + outer) {
        float across = SWI_X(line) - x, along = across * cosine + down * sine;
        float side = (down * cosine - across * sine) * 4.2f;
        if ((side > 0) != is_front) continue;
        float distance = swi_root(along * along + side * side) / radius;
        if (distance <= 1.25f || distance >= 2.05f) continue;
        float edge = swi_smooth(1.25f, 1.32f, distance) * (1 - swi_smooth(1.97f, 2.05f, distance));
        float off = distance - 1.72f, gap = 0.25f + 0.75f * swi_smooth(0, 0.05f, off < 0 ? -off : off);
        float grain = 0.75f + 0.25f * swi_sine(distance * 5.3f);
        // The planet's shadow.
        int is_dark = !is_front && along * light_x < 0 && -side < radius * 1.1f && along * along < radius * radius * 3.6f;
        swi_mix(line, k, swi_scaled(tone, is_dark ? 0.35f : 0.95f), 0.72f * edge * gap * grain);
    }
}

// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <stdlib.h>
#include <string.h>

typedef struct cell {
    int64_t count, sum[3];
    /// Where the cell was before it was sorted.
    size_t place;
} cell;

typedef struct box {
    size_t from, to;
    /// The channel along which the cells spread most.
    int channel;
    /// How urgently the box should be cut: spread times pixels; 0 when it cannot be.
    int64_t urgency;
} box;

struct swi_histogram {
    cell cells[1 << 15];
};

static inline uint32_t colour_at(const uint8_t *rgba) {
    return (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
}

/// Where a colour is, or would be.
static inline size_t find(const uint32_t *colours, size_t count, uint32_t colour) {
    size_t low = 0;
    while (count) {
        size_t half = count / 2;
        if (colours[low + half] < colour) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

int swi_add_colours(uint32_t *colours, size_t *colour_count, size_t limit, const uint8_t *rgba, size_t count) {
    uint32_t last = UINT32_MAX;
    for (size_t at = 0; at < count; at += 4) {
        uint32_t colour = colour_at(rgba + at);
        if (rgba[at + 3] < 128 || colour == last) continue;
        last = colour;
        size_t place = find(colours, *colour_count, colour);
        if (place < *colour_count && colours[place] == colour) continue;
        if (*colour_count == limit) return 0;
        memmove(colours + place + 1, colours + place, (*colour_count - place) * sizeof *colours);
        colours[place] = colour;
        ++*colour_count;
    }
    return 1;
}

swi_histogram *swi_histogram_create(void) {
    return calloc(1, sizeof(swi_histogram));
}

void swi_histogram_free(swi_histogram *histogram) {
    free(histogram);
}

void swi_histogram_add(swi_histogram *histogram, const uint8_t *rgba, size_t count) {
    for (size_t at = 0; at < count; at += 4) {
        const uint8_t *p = rgba + at;
        if (p[3] < 128) continue;
        cell *c = histogram->cells + ((size_t)(p[0] >> 3) << 10 | (size_t)(p[1] >> 3) << 5 | p[2] >> 3);
        c->count++;
        c->sum[0] += p[0];
        c->sum[1] += p[1];
        c->sum[2] += p[2];
    }
}

static box measured(const cell *cells, size_t from, size_t to) {
    int64_t low[3] = {255, 255, 255}, high[3] = {0, 0, 0}, count = 0;
    for (size_t k = from; k < to; k++) {
        for (int c = 0; c < 3; c++) {
            int64_t mean = cells[k].sum[c] / cells[k].count;
            if (mean < low[c]) low[c] = mean;
            if (mean > high[c]) high[c] = mean;
        }
        count += cells[k].count;
    }
    int64_t red = high[0] - low[0], green = high[1] - low[1], blue = high[2] - low[2];
    box found = {.from = from, .to = to, .channel = green >= red && green >= blue ? 1 : red >= blue ? 0 : 2};
    int64_t spread = high[found.channel] - low[found.channel];
    if (to - from >= 2) found.urgency = (spread > 1 ? spread : 1) * count;
    return found;
}

static int compare(const cell *a, const cell *b, int channel) {
    int64_t left = a->sum[channel] * b->count, right = b->sum[channel] * a->count;
    return left != right ? (left < right ? -1 : 1) : a->place < b->place ? -1 : 1;
}

static int by_red(const void *a, const void *b) { return compare(a, b, 0); }
static int by_green(const void *a, const void *b) { return compare(a, b, 1); }
static int by_blue(const void *a, const void *b) { return compare(a, b, 2); }

/// The first cell of the second half of the pixels.
static size_t middle(cell *cells, const box *all) {
    static int (*const order[])(const void *, const void *) = {by_red, by_green, by_blue};
    int64_t count = 0, seen = 0;
    for (size_t k = all->from; k < all->to; k++) {
        // Equal means keep their order, so that the result does not depend on the C library.
        cells[k].place = k;
        count += cells[k].count;
    }
    qsort(cells + all->from, all->to - all->from, sizeof *cells, order[all->channel]);
    size_t k = all->from;
    while (k < all->to - 1 && seen + cells[k].count <= count / 2) seen += cells[k++].count;
    return k > all->from ? k : all->from + 1;
}

size_t swi_histogram_cut(swi_histogram *histogram, size_t limit, uint32_t *colours) {
    cell *cells = histogram->cells;
    size_t used = 0, count = 1;
    for (size_t k = 0; k < 1 << 15; k++)
        if (cells[k].count) cells[used++] = cells[k];
    if (!used) return 0;
    box boxes[256] = {measured(cells, 0, used)};
    while (count < limit && count < 256) {
        // The first of equals, so that the result is deterministic.
        size_t best = 0;
        for (size_t k = 1; k < count; k++)
            if (boxes[k].urgency > boxes[best].urgency) best = k;
        if (!boxes[best].urgency) break;
        box all = boxes[best];
        size_t cut = middle(cells, &all);
        boxes[best] = measured(cells, all.from, cut);
        boxes[count++] = measured(cells, cut, all.to);
    }
    for (size_t k = 0; k < count; k++) {
        int64_t pixels = 0, sum[3] = {0};
        for (size_t j = boxes[k].from; j < boxes[k].to; j++) {
            pixels += cells[j].count;
            for (int c = 0; c < 3; c++) sum[c] += cells[j].sum[c];
        }
        colours[k] = 0;
        for (int c = 0; c < 3; c++) colours[k] = colours[k] << 8 | (uint32_t)((sum[c] + pixels / 2) / pixels);
    }
    return count;
}

/// The entry that is nearest to the middle of the colour's cell, which represents all its colours.
static int find_nearest(
    const swi_indexing *job, const uint32_t *colours, int16_t *nearest, const int32_t *colour
) {
    int16_t *known = nearest + (colour[0] >> 2 << 12 | colour[1] >> 2 << 6 | colour[2] >> 2);
    if (*known >= 0) return *known;
    int32_t red = (colour[0] & ~3) + 2, green = (colour[1] & ~3) + 2, blue = (colour[2] & ~3) + 2;
    int32_t best = 0, least = INT32_MAX;
    for (size_t k = 0; k < job->colour_count; k++) {
        uint32_t entry = colours[k];
        int32_t r = (int32_t)(entry >> 16) - red, g = (int32_t)(entry >> 8 & 255) - green;
        int32_t b = (int32_t)(entry & 255) - blue, distance = r * r + g * g + b * b;
        if (distance < least) {
            least = distance;
            best = (int32_t)k;
        }
    }
    *known = (int16_t)best;
    return best;
}

/// Passes the error of a pixel on to its neighbours, in sixteenths.
static void diffuse(int32_t *errors, int32_t *below, const int32_t *colour, uint32_t entry) {
    for (int c = 0; c < 3; c++) {
        int32_t error = colour[c] - (int32_t)(entry >> (16 - 8 * c) & 255);
        errors[6 + c] += error * 7;
        below[c] += error * 3;
        below[3 + c] += error * 5;
        below[6 + c] += error;
    }
}

static void index_row(
    const swi_indexing *job, const uint32_t *colours, int16_t *nearest, int32_t *errors, int32_t *below,
    const uint8_t *rgba, uint8_t *indexes
) {
    for (size_t x = 0; x < job->width; x++, rgba += 4) {
        if (rgba[3] < 128) {
            indexes[x] = job->transparent;
            continue;
        }
        if (job->is_exact) {
            uint32_t colour = colour_at(rgba);
            size_t place = find(colours, job->colour_count, colour);
            indexes[x] = place < job->colour_count && colours[place] == colour ? (uint8_t)place : 0;
            continue;
        }
        int32_t wanted[3] = {rgba[0], rgba[1], rgba[2]};
        for (int c = 0; c < 3 && job->is_dithered; c++) {
            wanted[c] += (errors[3 * (x + 1) + (size_t)c] + 8) >> 4;
            wanted[c] = wanted[c] < 0 ? 0 : wanted[c] > 255 ? 255 : wanted[c];
        }
        int index = find_nearest(job, colours, nearest, wanted);
        indexes[x] = (uint8_t)index;
        if (job->is_dithered) diffuse(errors + 3 * x, below + 3 * x, wanted, colours[index]);
    }
}

void swi_index_rows(
    const swi_indexing *job, const uint32_t *colours, int16_t *nearest, int32_t *errors, const uint8_t *rgba,
    size_t from, size_t to, uint8_t *indexes
) {
    size_t room = (job->width + 2) * 3;
    for (size_t y = from; y < to; y++) {
        // The rows of errors take turns.
        int32_t *above = errors + y % 2 * room, *below = errors + (y + 1) % 2 * room;
        index_row(job, colours, nearest, above, below, rgba + y * job->width * 4, indexes + y * job->width);
        if (job->is_dithered) memset(above, 0, room * sizeof *above);
    }
}

void swi_draw_indexes(const uint8_t *indexes, size_t count, const uint8_t *palette, int transparent, uint8_t *rgba) {
    for (size_t x = 0; x < count; x++)
        if (indexes[x] != transparent) memcpy(rgba + 4 * x, palette + 4 * (size_t)indexes[x], 4);
}

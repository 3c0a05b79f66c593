// SPDX-License-Identifier: MIT
// Included once for each width of vectors, by `resample.c`.
//
// Everything is an expression of vectors: a build without optimisation, which keeps each variable in memory, still does
// thirty-two samples in an instruction.

typedef uint8_t NAMED(bytes) __attribute__((vector_size(WIDTH)));
typedef uint8_t NAMED(loose) __attribute__((vector_size(WIDTH), aligned(1), may_alias));
typedef int16_t NAMED(words) __attribute__((vector_size(WIDTH)));
typedef int16_t NAMED(loose_words) __attribute__((vector_size(WIDTH), aligned(2), may_alias));
typedef int32_t NAMED(sums) __attribute__((vector_size(WIDTH)));

/// Adds pairs of rows to sums, two vectors of samples at a time, in the order in which they unpack.
TARGET static void NAMED(accumulate)(
    const uint8_t *const *upper, const uint8_t *const *lower, size_t pairs, const int16_t *weights, size_t count,
    int32_t *sums
) {
    const NAMED(bytes) zero = {0};
    for (size_t x = 0; x < count; x += 2 * WIDTH) {
        NAMED(sums) *s = (NAMED(sums) *)(sums + x);
        NAMED(sums) s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3], s4 = s[4], s5 = s[5], s6 = s[6], s7 = s[7];
        for (size_t k = 0; k < pairs; k++) {
            const NAMED(loose) *a = (const NAMED(loose) *)(upper[k] + x), *b = (const NAMED(loose) *)(lower[k] + x);
            const NAMED(words) w = (NAMED(words))((NAMED(sums)){0} + two_weights(weights + 2 * k));
            NAMED(bytes) both = UNPACK_LOW(a[0], b[0]);
            s0 += MULTIPLY_ADD((NAMED(words))UNPACK_LOW(both, zero), w);
            s1 += MULTIPLY_ADD((NAMED(words))UNPACK_HIGH(both, zero), w);
            both = UNPACK_HIGH(a[0], b[0]);
            s2 += MULTIPLY_ADD((NAMED(words))UNPACK_LOW(both, zero), w);
            s3 += MULTIPLY_ADD((NAMED(words))UNPACK_HIGH(both, zero), w);
            both = UNPACK_LOW(a[1], b[1]);
            s4 += MULTIPLY_ADD((NAMED(words))UNPACK_LOW(both, zero), w);
            s5 += MULTIPLY_ADD((NAMED(words))UNPACK_HIGH(both, zero), w);
            both = UNPACK_HIGH(a[1], b[1]);
            s6 += MULTIPLY_ADD((NAMED(words))UNPACK_LOW(both, zero), w);
            s7 += MULTIPLY_ADD((NAMED(words))UNPACK_HIGH(both, zero), w);
        }
        s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3, s[4] = s4, s[5] = s5, s[6] = s6, s[7] = s7;
    }
}

/// Makes sixteen bits of each sum, and puts the samples of every two pixels side by side.
TARGET static void NAMED(settle)(const int32_t *sums, size_t count, int shift, int16_t *line) {
    for (size_t x = 0; x < count; x += WIDTH) {
        const NAMED(sums) *s = (const NAMED(sums) *)(sums + x);
        NAMED(sums) even = (s[0] >> shift & 0xFFFF) | s[1] >> shift << 16;
        NAMED(sums) odd = (s[2] >> shift & 0xFFFF) | s[3] >> shift << 16;
        *(NAMED(loose_words) *)(line + x) = (NAMED(loose_words))LOW_HALVES(even, odd);
        *(NAMED(loose_words) *)(line + x + WIDTH / 2) = (NAMED(loose_words))HIGH_HALVES(even, odd);
    }
}

/// Makes the pixels of a row from samples of sixteen bits.
TARGET static void NAMED(narrow)(const swi_resampling *job, const int16_t *line, uint8_t *target) {
    enum { at_once = WIDTH / 16 };
    const swi_taps *taps = &job->across;
    int shift = taps->shift + job->fraction;
    for (size_t x = 0; x < job->target_width; x++) {
        const swi_tap *tap = taps->of + x;
        const NAMED(loose_words) *w = (const NAMED(loose_words) *)(taps->weights + 8 * (size_t)tap->place);
        const NAMED(loose_words) *p = (const NAMED(loose_words) *)(line + 4 * (size_t)tap->first);
        size_t count = ((size_t)tap->pairs + at_once - 1) / at_once;
        NAMED(sums) s = {0}, t = {0};
        for (; count > 1; count -= 2, p += 2, w += 2) {
            s += MULTIPLY_ADD(p[0], w[0]);
            t += MULTIPLY_ADD(p[1], w[1]);
        }
        if (count) s += MULTIPLY_ADD(p[0], w[0]);
        store(SUM_OF_HALVES(s + t), shift, target + 4 * x);
    }
}

/// Makes rows of the result; see `swi_resample`.
TARGET static int NAMED(resample)(
    const swi_resampling *job, const uint8_t *rows, size_t capacity, size_t from, size_t to, int16_t *line,
    uint8_t *target
) {
    enum { tile = 1024, chunk = 8, block = 2 * WIDTH };
    const swi_taps *taps = &job->down;
    size_t end = job->right * 4;
    for (size_t y = from; y < to; y++, target += 4 * job->target_width) {
        const swi_tap *tap = taps->of + y;
        size_t pairs = (size_t)tap->pairs;
        int shift = taps->shift - job->fraction;
        for (size_t x = job->left * 4; x < end; x += tile) {
            int32_t sums[tile] __attribute__((aligned(64)));
            size_t count = end - x < tile ? end - x : tile;
            size_t whole = count / block * block;
            if ((x == job->left * 4 || pairs > 128) && job->should_stop && job->should_stop()) return 1;
            for (size_t k = 0; k < tile; k += block / 8)
                *(NAMED(sums) *)(sums + k) = (NAMED(sums)){0} + (1 << shift >> 1);
            for (size_t k = 0; k < pairs; k += chunk) {
                const uint8_t *upper[chunk], *lower[chunk];
                uint8_t edges[2 * chunk][block] __attribute__((aligned(64)));
                size_t now = pairs - k < chunk ? pairs - k : chunk;
                const int16_t *weights = taps->weights + 2 * ((size_t)tap->place + k);
                for (size_t j = 0; j < now; j++) {
                    size_t row = (size_t)tap->first + 2 * (k + j);
                    upper[j] = rows + row % capacity * job->width * 4 + x;
                    // The weight of a row below the last one is zero.
                    lower[j] = row + 1 < job->height ? rows + (row + 1) % capacity * job->width * 4 + x : upper[j];
                }
                NAMED(accumulate)(upper, lower, now, weights, whole, sums);
                if (whole == count) continue;
                // Less than a block is left; there may be nothing behind it.
                size_t rest = count - whole;
                for (size_t j = 0; j < now; j++) {
                    memcpy(edges[2 * j], upper[j] + whole, rest);
                    memcpy(edges[2 * j + 1], lower[j] + whole, rest);
                    memset(edges[2 * j] + rest, 0, block - rest);
                    memset(edges[2 * j + 1] + rest, 0, block - rest);
                    upper[j] = edges[2 * j];
                    lower[j] = edges[2 * j + 1];
                }
                NAMED(accumulate)(upper, lower, now, weights, block, sums + whole);
            }
            NAMED(settle)(sums, (count + block - 1) / block * block, shift, line + x);
        }
        NAMED(narrow)(job, line, target);
    }
    return 0;
}

#undef NAMED
#undef WIDTH
#undef TARGET
#undef UNPACK_LOW
#undef UNPACK_HIGH
#undef LOW_HALVES
#undef HIGH_HALVES
#undef MULTIPLY_ADD
#undef SUM_OF_HALVES

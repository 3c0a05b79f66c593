// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <lcms2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { steps_in = 4096, steps_out = 16384 };

/// The arithmetic of a profile of three curves and primaries, for sixteen bits: the library takes many times as long,
/// or goes by a coarse grid.
typedef struct shaper {
    float light[3][steps_in + 1];
    float matrix[9];
    uint8_t values[steps_out + 1];
} shaper;

struct swi_profile {
    cmsContext context;
    /// From the colours of the profile to sRGB; null where one of the others does it.
    cmsHTRANSFORM transform;
    shaper *shaper;
    /// What each grey becomes.
    uint8_t greys[256];
    int pixels, is_grey;
};

void swi_profile_free(swi_profile *profile) {
    if (!profile) return;
    if (profile->transform) cmsDeleteTransform(profile->transform);
    if (profile->context) cmsDeleteContext(profile->context);
    free(profile->shaper);
    free(profile);
}

int swi_profile_pixels(const swi_profile *profile) { return profile->pixels; }

/// The light of a signal of a film, at most that of white paper: 203 cd/m² in the light of 1,000.
static double light(int transfer, double signal) {
    if (transfer == SWI_TRANSFER_PQ) {
        double power = pow(signal, 1 / 78.84375);
        return 10000.0 / 203 * pow(fmax(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125);
    }
    double scene = signal <= 0.5 ? signal * signal / 3 : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12;
    return 1000.0 / 203 * pow(scene, 1.2);
}

static cmsToneCurve *make_curve(cmsContext context, int transfer, double gamma) {
    enum { steps = 4096 };
    if (transfer == SWI_TRANSFER_GAMMA) return cmsBuildGamma(context, gamma);
    if (transfer == SWI_TRANSFER_SRGB) {
        cmsFloat64Number numbers[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
        return cmsBuildParametricToneCurve(context, 4, numbers);
    }
    float table[steps];
    for (int k = 0; k < steps; k++) table[k] = (float)fmin(light(transfer, k / (steps - 1.0)), 1);
    return cmsBuildTabulatedToneCurveFloat(context, steps, table);
}

/// Elements of floating point may share their bytes in a profile: a few of them make gigabytes of curves. The other tags
/// of a profile serve in their place.
static cmsHPROFILE without_elements(cmsHPROFILE profile) {
    static const cmsTagSignature tags[] = {
        cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag,
        cmsSigBToD0Tag, cmsSigBToD1Tag, cmsSigBToD2Tag, cmsSigBToD3Tag};
    for (size_t k = 0; profile && k < sizeof tags / sizeof *tags; k++)
        while (cmsIsTag(profile, tags[k]) && cmsWriteTag(profile, tags[k], NULL)) {}
    return profile;
}

static cmsHPROFILE open_profile(cmsContext context, const swi_colour_source *from) {
    if (from->profile)
        return without_elements(cmsOpenProfileFromMemTHR(context, from->profile, (cmsUInt32Number)from->count));
    const double *at = from->points;
    cmsCIExyY white = {at[0], at[1], 1};
    cmsCIExyYTRIPLE primaries = {{at[2], at[3], 1}, {at[4], at[5], 1}, {at[6], at[7], 1}};
    cmsToneCurve *curve = make_curve(context, from->transfer, from->gamma);
    if (!curve) return NULL;
    cmsHPROFILE made = cmsCreateRGBProfileTHR(context, &white, &primaries, (cmsToneCurve *[]){curve, curve, curve});
    cmsFreeToneCurve(curve);
    return made;
}

/// What each grey of eight bits becomes, without a tint.
static int tabulate(swi_profile *made, cmsHPROFILE source, cmsHPROFILE target, uint32_t intent) {
    uint8_t from[256], to[256 * 3];
    for (int value = 0; value < 256; value++) from[value] = (uint8_t)value;
    cmsHTRANSFORM grey =
        cmsCreateTransformTHR(made->context, source, TYPE_GRAY_8, target, TYPE_RGB_8, intent, cmsFLAGS_NOCACHE);
    if (!grey) return -1;
    cmsDoTransform(grey, from, to, 256);
    for (int value = 0; value < 256; value++) made->greys[value] = to[value * 3];
    cmsDeleteTransform(grey);
    return 0;
}

static int read_sides(cmsHPROFILE profile, double *matrix) {
    static const cmsTagSignature tags[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
    for (int column = 0; column < 3; column++) {
        const cmsCIEXYZ *side = cmsReadTag(profile, tags[column]);
        if (!side) return -1;
        matrix[column] = side->X, matrix[3 + column] = side->Y, matrix[6 + column] = side->Z;
    }
    return 0;
}

/// Makes the tables, if the profile has no others. Not zero otherwise.
static int shape(swi_profile *made, cmsHPROFILE source, cmsHPROFILE target, uint32_t intent) {
    static const cmsTagSignature curves[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    double from[9], to[9], inverse[9];
    if (!cmsIsMatrixShaper(source) || cmsIsCLUT(source, intent, LCMS_USED_AS_INPUT)
        || cmsIsTag(source, cmsSigAToB0Tag) || intent == INTENT_ABSOLUTE_COLORIMETRIC
        || read_sides(source, from) || read_sides(target, to)
        || !(made->shaper = malloc(sizeof *made->shaper)))
        return -1;
    shaper *shaper = made->shaper;
    for (int k = 0; k < 9; k++) {
        int row = k / 3, column = k % 3, one = (column + 1) % 3, other = (column + 2) % 3;
        int below = (row + 1) % 3 * 3, last = (row + 2) % 3 * 3;
        inverse[column * 3 + row] = to[below + one] * to[last + other] - to[below + other] * to[last + one];
    }
    double determinant = to[0] * inverse[0] + to[1] * inverse[3] + to[2] * inverse[6];
    for (int k = 0; k < 9; k++) {
        double sum = 0;
        for (int at = 0; at < 3; at++) sum += inverse[k / 3 * 3 + at] * from[at * 3 + k % 3];
        shaper->matrix[k] = (float)(sum / determinant);
    }
    for (int channel = 0; channel < 3; channel++) {
        const cmsToneCurve *curve = cmsReadTag(source, curves[channel]);
        if (!curve) return -1;
        for (int k = 0; k <= steps_in; k++)
            shaper->light[channel][k] = cmsEvalToneCurveFloat(curve, (float)k / steps_in);
    }
    for (int k = 0; k <= steps_out; k++) {
        double light = (double)k / steps_out;
        double value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055;
        shaper->values[k] = (uint8_t)(value * 255 + 0.5);
    }
    return 0;
}

static void convert_shaped(const shaper *shaper, const uint16_t *from, uint8_t *rgba, size_t count) {
    for (; count; count--, from += 4, rgba += 4) {
        float light[3];
        for (int k = 0; k < 3; k++) light[k] = shaper->light[k][(from[k] * steps_in + 32767u) / 65535u];
        for (int k = 0; k < 3; k++) {
            const float *row = shaper->matrix + k * 3;
            float sum = row[0] * light[0] + row[1] * light[1] + row[2] * light[2];
            // Not a number becomes zero.
            rgba[k] = shaper->values[sum > 0 ? (int)((sum < 1 ? sum : 1) * steps_out + 0.5f) : 0];
        }
        rgba[3] = (uint8_t)(from[3] >> 8);
    }
}

/// Prepares the conversion. Not zero if the library cannot make it, or the pixels have other colours.
static int prepare(swi_profile *made, cmsHPROFILE source, cmsHPROFILE target) {
    uint32_t intent = cmsGetHeaderRenderingIntent(source), format;
    if (intent > INTENT_ABSOLUTE_COLORIMETRIC) intent = INTENT_PERCEPTUAL;
    cmsColorSpaceSignature space = cmsGetColorSpace(source);
    made->is_grey = space == cmsSigGrayData;
    int is_wide = made->pixels == SWI_PIXELS_RGBA_16;
    if (made->pixels == SWI_PIXELS_INVERTED_CMYK) {
        // No conversion of other colours has such pixels.
        format = TYPE_CMYK_8_REV;
    } else if (made->is_grey) {
        if (!is_wide) return tabulate(made, source, target, intent);
        // The other channels of a grey pixel say the same.
        format = COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(2);
    } else if (space == cmsSigRgbData) {
        if (is_wide && !shape(made, source, target, intent)) return 0;
        free(made->shaper);
        made->shaper = NULL;
        format = is_wide ? TYPE_RGBA_16 : TYPE_RGBA_8;
    } else {
        return -1;
    }
    // Without its cache, a conversion may be used on several threads.
    uint32_t flags = cmsFLAGS_NOCACHE | (format == TYPE_RGBA_8 ? cmsFLAGS_COPY_ALPHA : 0)
        | (is_wide ? cmsFLAGS_NOOPTIMIZE : 0);
    made->transform = cmsCreateTransformTHR(made->context, source, format, target, TYPE_RGBA_8, intent, flags);
    return made->transform ? 0 : -1;
}

/// Whether no colour of a coarse grid, and no grey, moves by more than one step.
static int changes_nothing(const swi_profile *profile) {
    if (profile->pixels == SWI_PIXELS_INVERTED_CMYK) return 0;
    for (int index = 0; index < 125 + 256; index++) {
        int grey = index - 125;
        uint8_t from[4] = {(uint8_t)(index % 5 * 63), (uint8_t)(index / 5 % 5 * 63), (uint8_t)(index / 25 * 63), 255};
        if (grey >= 0) memset(from, grey, 3);
        else if (profile->is_grey) continue;
        uint16_t wide[4] = {from[0] * 257, from[1] * 257, from[2] * 257, UINT16_MAX};
        uint8_t to[4] = {from[0], from[1], from[2], 255};
        swi_profile_convert(profile, profile->pixels == SWI_PIXELS_RGBA_16 ? (void *)wide : (void *)to, to, 1);
        for (int channel = 0; channel < 3; channel++)
            if (abs(from[channel] - to[channel]) > 1) return 0;
    }
    return 1;
}

swi_profile *swi_profile_create(const swi_colour_source *from, int pixels) {
    if (from->count > UINT32_MAX) return NULL;
    swi_profile *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->pixels = pixels;
    // A context of its own has no error handler: failures are results.
    made->context = cmsCreateContext(NULL, NULL);
    cmsHPROFILE source = made->context ? open_profile(made->context, from) : NULL;
    cmsHPROFILE target = source ? cmsCreate_sRGBProfileTHR(made->context) : NULL;
    int is_useful = target && !prepare(made, source, target) && !changes_nothing(made);
    if (source) cmsCloseProfile(source);
    if (target) cmsCloseProfile(target);
    if (is_useful) return made;
    swi_profile_free(made);
    return NULL;
}

void swi_profile_convert(const swi_profile *profile, const void *from, uint8_t *rgba, size_t count) {
    if (profile->shaper) return convert_shaped(profile->shaper, from, rgba, count);
    if (profile->transform) {
        cmsDoTransform(profile->transform, from, rgba, (cmsUInt32Number)count);
        if (profile->pixels == SWI_PIXELS_RGBA_8) return;
        const uint16_t *wide = profile->pixels == SWI_PIXELS_RGBA_16 ? from : NULL;
        for (size_t at = 0; at < count; at++) {
            rgba[at * 4 + 3] = wide ? (uint8_t)(wide[at * 4 + 3] >> 8) : 255;
            if (profile->is_grey) memset(rgba + at * 4, rgba[at * 4], 3);
        }
        return;
    }
    const uint8_t *grey = from;
    for (size_t at = 0; at < count * 4; at += 4) {
        for (size_t channel = 0; channel < 3; channel++) rgba[at + channel] = profile->greys[grey[at + channel]];
        rgba[at + 3] = grey[at + 3];
    }
}

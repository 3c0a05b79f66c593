// SPDX-License-Identifier: MIT
#ifdef SWI_ICC
#include "CImageShims.h"
#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

struct swi_profile {
    cmsContext context;
    /// From the colours of the profile to sRGB; null for grey.
    cmsHTRANSFORM transform;
    /// What each grey becomes.
    uint8_t greys[256];
};

void swi_profile_free(swi_profile *profile) {
    if (!profile) return;
    if (profile->transform) cmsDeleteTransform(profile->transform);
    if (profile->context) cmsDeleteContext(profile->context);
    free(profile);
}

/// Whether no colour of a coarse grid moves by more than one step.
static int changes_nothing(cmsHTRANSFORM transform) {
    for (int index = 0; index < 125; index++) {
        uint8_t from[4] = {(uint8_t)(index % 5 * 63), (uint8_t)(index / 5 % 5 * 63), (uint8_t)(index / 25 * 63), 255};
        uint8_t to[4] = {0, 0, 0, 255};
        cmsDoTransform(transform, from, to, 1);
        for (int channel = 0; channel < 3; channel++)
            if (abs(from[channel] - to[channel]) > 1) return 0;
    }
    return 1;
}

/// Prepares the conversion, which stays without one if the library cannot make it.
static void prepare(swi_profile *made, cmsHPROFILE source) {
    cmsHPROFILE target = cmsCreate_sRGBProfileTHR(made->context);
    if (!target) return;
    uint32_t intent = cmsGetHeaderRenderingIntent(source);
    if (intent > INTENT_ABSOLUTE_COLORIMETRIC) intent = INTENT_PERCEPTUAL;
    cmsColorSpaceSignature space = cmsGetColorSpace(source);
    if (space == cmsSigRgbData) {
        // Without its cache, a conversion may be used on several threads.
        made->transform = cmsCreateTransformTHR(
            made->context, source, TYPE_RGBA_8, target, TYPE_RGBA_8, intent, cmsFLAGS_NOCACHE | cmsFLAGS_COPY_ALPHA);
    } else if (space == cmsSigGrayData) {
        uint8_t from[256], to[256 * 3];
        for (int value = 0; value < 256; value++) from[value] = (uint8_t)value;
        cmsHTRANSFORM grey =
            cmsCreateTransformTHR(made->context, source, TYPE_GRAY_8, target, TYPE_RGB_8, intent, cmsFLAGS_NOCACHE);
        if (grey) {
            cmsDoTransform(grey, from, to, 256);
            for (int value = 0; value < 256; value++) made->greys[value] = to[value * 3];
            made->greys[0] = to[0];
            cmsDeleteTransform(grey);
        }
    }
    cmsCloseProfile(target);
}

swi_profile *swi_profile_create(const uint8_t *bytes, size_t count) {
    if (count > UINT32_MAX) return NULL;
    swi_profile *made = calloc(1, sizeof *made);
    // A context of its own has no error handler: failures are results.
    if (made) made->context = cmsCreateContext(NULL, NULL);
    cmsHPROFILE source =
        made && made->context ? cmsOpenProfileFromMemTHR(made->context, bytes, (cmsUInt32Number)count) : NULL;
    if (source) {
        prepare(made, source);
        cmsCloseProfile(source);
    }
    int is_useful = made && (made->transform ? !changes_nothing(made->transform) : made->greys[255] > 0);
    if (is_useful) return made;
    swi_profile_free(made);
    return NULL;
}

void swi_profile_convert(const swi_profile *profile, uint8_t *rgba, size_t count) {
    if (profile->transform) {
        cmsDoTransform(profile->transform, rgba, rgba, (cmsUInt32Number)(count / 4));
        return;
    }
    for (size_t at = 0; at < count; at += 4) memset(rgba + at, profile->greys[rgba[at]], 3);
}
#endif

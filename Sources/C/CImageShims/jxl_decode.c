// SPDX-License-Identifier: MIT
#ifdef SWI_JPEGXL
#include "bytes.h"
#if !__has_include(<jxl/decode.h>)
#error "The trait JPEGXL needs libjxl-dev."
#endif
#include <jxl/decode.h>
#include <jxl/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(swi_failure *failure, const char *message) {
    if (!failure->message[0]) snprintf(failure->message, sizeof failure->message, "%s", message);
}

/// Makes a decoder of the whole file.
static JxlDecoder *make_decoder(const uint8_t *bytes, size_t count, int events) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (!decoder) return NULL;
    if (JxlDecoderSubscribeEvents(decoder, events) != JXL_DEC_SUCCESS
        || JxlDecoderSetInput(decoder, bytes, count) != JXL_DEC_SUCCESS) {
        JxlDecoderDestroy(decoder);
        return NULL;
    }
    // The input is not closed: a file that ends early would count as broken.
    return decoder;
}

int swi_jxl_read_header(
    const uint8_t *bytes, size_t count, size_t frame_limit, swi_jxl_header *header, swi_failure *failure
) {
    JxlDecoder *decoder = make_decoder(bytes, count, JXL_DEC_BASIC_INFO | JXL_DEC_FRAME);
    if (!decoder) return SWI_NO_MEMORY;
    JxlBasicInfo info = {0};
    JxlFrameHeader frame = {0};
    int has_info = 0, status = -1;
    while (status < 0) {
        switch (JxlDecoderProcessInput(decoder)) {
        case JXL_DEC_BASIC_INFO:
            has_info = JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS;
            // The frames of a still picture need not be looked for.
            if (!has_info || !info.have_animation) status = has_info ? SWI_OK : SWI_MALFORMED;
            break;
        case JXL_DEC_FRAME:
            if (JxlDecoderGetFrameHeader(decoder, &frame) != JXL_DEC_SUCCESS) status = SWI_MALFORMED;
            else if (++header->frame_count > frame_limit || frame.is_last) status = SWI_OK;
            header->is_complete = frame.is_last;
            break;
        case JXL_DEC_NEED_MORE_INPUT: status = has_info ? SWI_OK : SWI_TRUNCATED; break;
        default: status = SWI_MALFORMED;
        }
    }
    JxlDecoderDestroy(decoder);
    if (status == SWI_OK) {
        header->width = info.xsize;
        header->height = info.ysize;
        header->has_alpha = info.alpha_bits > 0;
        header->is_animated = info.have_animation;
        header->loop_count = info.animation.num_loops;
        header->channels = info.num_color_channels + info.num_extra_channels;
    }
    note(failure, status == SWI_TRUNCATED ? "the header is not complete" : "the header is broken");
    return status;
}

// The argument for a format went with version 0.9.
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define NO_FORMAT NULL,
#else
#define NO_FORMAT
#endif

void swi_jxl_read_colours(const uint8_t *bytes, size_t count, size_t largest, swi_bytes *profile) {
    JxlDecoder *decoder = make_decoder(bytes, count, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING);
    if (!decoder) return;
    JxlBasicInfo info = {0};
    size_t length = 0;
    // Colours that are coded as seen are drawn in sRGB.
    if (JxlDecoderProcessInput(decoder) == JXL_DEC_BASIC_INFO
        && JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS && info.uses_original_profile
        && JxlDecoderProcessInput(decoder) == JXL_DEC_COLOR_ENCODING
        && JxlDecoderGetICCProfileSize(decoder, NO_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, &length) == JXL_DEC_SUCCESS
        && length <= largest) {
        uint8_t *data = malloc(length);
        if (data
            && JxlDecoderGetColorAsICCProfile(decoder, NO_FORMAT JXL_COLOR_PROFILE_TARGET_DATA, data, length)
                == JXL_DEC_SUCCESS)
            swi_bytes_append(profile, data, length);
        free(data);
    }
    JxlDecoderDestroy(decoder);
}

/// A decode, and the picture that it draws on.
typedef struct decoding {
    JxlDecoder *decoder;
    const swi_decode_request *request;
    uint8_t *rgba;
    JxlBasicInfo info;
    swi_frame frame;
    void *frames;
    size_t milliseconds;
    int has_frame, is_last, is_stopped;
} decoding;

/// Does the parts of the work one after the other on the calling thread, and looks between them.
static JxlParallelRetCode run(
    void *context, void *library, JxlParallelRunInit init, JxlParallelRunFunction part, uint32_t from, uint32_t to
) {
    decoding *job = context;
    if (init(library, 1)) return JXL_PARALLEL_RET_RUNNER_ERROR;
    // Smoothing must not be stopped: version 0.7 ends the process then. Its parts are quick, and alone begin with 1.
    for (uint32_t index = from; index < to; index++) {
        if (from == 0 && (job->is_stopped || job->request->look(job->request->context, 0))) {
            job->is_stopped = 1;
            return JXL_PARALLEL_RET_RUNNER_ERROR;
        }
        part(library, index, 0);
    }
    return 0;
}

static size_t byte_count(const decoding *job) { return (size_t)job->request->width * job->request->height * 4; }

/// Colours that are coded as seen can be had in sRGB; others are in the profile of the file.
static void ask_for_srgb(decoding *job) {
    JxlColorEncoding colours = {
        .color_space = job->info.num_color_channels == 1 ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB,
        .white_point = JXL_WHITE_POINT_D65,
        .primaries = JXL_PRIMARIES_SRGB,
        .transfer_function = JXL_TRANSFER_FUNCTION_SRGB,
        .rendering_intent = JXL_RENDERING_INTENT_RELATIVE,
    };
    if (!job->info.uses_original_profile) JxlDecoderSetPreferredColorProfile(job->decoder, &colours);
}

/// Hands on what was drawn. Not zero when no more frames are wanted.
static int finish_frame(decoding *job) {
    job->has_frame = 1;
    return !job->frame || job->frame(job->frames, job->milliseconds) || job->is_last;
}

static int start_frame(decoding *job) {
    const swi_decode_request *request = job->request;
    JxlFrameHeader header = {0};
    if (request->look(request->context, (size_t)request->width * request->height)) return SWI_STOPPED;
    if (JxlDecoderGetFrameHeader(job->decoder, &header) != JXL_DEC_SUCCESS) return SWI_MALFORMED;
    job->is_last = header.is_last;
    uint64_t ticks = header.duration;
    uint64_t numerator = job->info.animation.tps_numerator ? job->info.animation.tps_numerator : 1;
    job->milliseconds = ticks * 1000 * (job->info.animation.tps_denominator & 0xFFFF) / numerator;
    return SWI_OK;
}

/// The pixels of an unfinished frame, if there are any.
static int recover(decoding *job, int status, int damage) {
    if (job->request->fail_on != SWI_FAIL_NEVER || job->is_stopped) return status;
    if (!job->has_frame || !job->frame) {
        if (status == SWI_MALFORMED || JxlDecoderFlushImage(job->decoder) != JXL_DEC_SUCCESS) return status;
        finish_frame(job);
    }
    *job->request->damage |= SWI_MISSING_PIXELS | damage;
    return SWI_OK;
}

static int draw(decoding *job, swi_failure *failure) {
    static const JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    for (;;) {
        int status = SWI_OK;
        switch (JxlDecoderProcessInput(job->decoder)) {
        case JXL_DEC_BASIC_INFO:
            if (JxlDecoderGetBasicInfo(job->decoder, &job->info) != JXL_DEC_SUCCESS
                || job->info.xsize != job->request->width || job->info.ysize != job->request->height)
                status = SWI_MALFORMED;
            break;
        case JXL_DEC_COLOR_ENCODING: ask_for_srgb(job); break;
        case JXL_DEC_FRAME: status = start_frame(job); break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (job->request->fail_on == SWI_FAIL_NEVER) memset(job->rgba, 0, byte_count(job));
            if (JxlDecoderSetImageOutBuffer(job->decoder, &format, job->rgba, byte_count(job)) != JXL_DEC_SUCCESS)
                status = SWI_UNSUPPORTED;
            break;
        case JXL_DEC_FULL_IMAGE:
            if (finish_frame(job)) return SWI_OK;
            break;
        case JXL_DEC_NEED_MORE_INPUT:
            note(failure, "the file ends early");
            return recover(job, SWI_TRUNCATED, SWI_MISSING_END);
        default:
            note(failure, "the data are broken");
            return job->is_stopped ? SWI_STOPPED : recover(job, SWI_MALFORMED, SWI_CORRUPT_DATA);
        }
        if (status != SWI_OK) {
            note(failure, "the headers disagree");
            return status;
        }
    }
}

int swi_jxl_decode(
    const uint8_t *bytes, size_t count, const swi_decode_request *request, uint8_t *rgba, swi_frame frame,
    void *frames, swi_failure *failure
) {
    decoding job = {.request = request, .rgba = rgba, .frame = frame, .frames = frames};
    job.decoder =
        make_decoder(bytes, count, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE);
    if (!job.decoder) return SWI_NO_MEMORY;
    JxlDecoderSetParallelRunner(job.decoder, run, &job);
    JxlDecoderSetUnpremultiplyAlpha(job.decoder, JXL_TRUE);
    int status = draw(&job, failure);
    JxlDecoderDestroy(job.decoder);
    return status;
}
#endif

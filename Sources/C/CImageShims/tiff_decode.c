// SPDX-License-Identifier: MIT
#ifdef SWI_TIFF
#include "bytes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#if TIFFLIB_VERSION < 20221213
#error "The trait TIFF needs libtiff 4.5: before it, the library reports errors to the whole process."
#endif

/// The file, and what the library says of it.
typedef struct source {
    const uint8_t *bytes;
    size_t count, offset;
    /// Whether bytes were wanted that are not there.
    int ran_out;
    int warnings;
    swi_failure *failure;
} source;

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t wanted) {
    source *file = handle;
    size_t left = file->offset < file->count ? file->count - file->offset : 0;
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    if (length > left) {
        file->ran_out = 1;
        length = left;
    }
    if (length) memcpy(to, file->bytes + file->offset, length);
    file->offset += length;
    return (tmsize_t)length;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t count) {
    (void)handle, (void)from, (void)count;
    return -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
    source *file = handle;
    toff_t base = whence == SEEK_CUR ? file->offset : whence == SEEK_END ? file->count : 0;
    return file->offset = base + offset;
}

static toff_t on_size(thandle_t handle) { return ((source *)handle)->count; }
static int on_close(thandle_t handle) { return (void)handle, 0; }
static int on_map(thandle_t handle, void **base, toff_t *size) { return (void)handle, (void)base, (void)size, 0; }
static void on_unmap(thandle_t handle, void *base, toff_t size) { (void)handle, (void)base, (void)size; }

/// Keeps the first message; what follows is a consequence of it.
static int on_error(TIFF *file, void *context, const char *module, const char *format, va_list arguments) {
    (void)file, (void)module;
    swi_failure *failure = ((source *)context)->failure;
    if (!failure->message[0]) vsnprintf(failure->message, sizeof failure->message, format, arguments);
    return 1;
}

static int on_warning(TIFF *file, void *context, const char *module, const char *format, va_list arguments) {
    (void)file, (void)module, (void)format, (void)arguments;
    ((source *)context)->warnings++;
    return 1;
}

static TIFF *open_file(source *file, size_t largest) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, largest > INT64_MAX ? INT64_MAX : (tmsize_t)largest);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, file);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, file);
    TIFF *tiff = TIFFClientOpenExt(
        "tiff", "rm", file, on_read, on_write, on_seek, on_close, on_size, on_map, on_unmap, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

static int status_of(const source *file) {
    if (strstr(file->failure->message, "byte limit")) return SWI_TOO_LARGE;
    return file->ran_out ? SWI_TRUNCATED : SWI_MALFORMED;
}

/// The codings that are bounded by the size of a strip. Others have windows of their own, of any size, or are not read
/// by every build of libtiff.
static int is_supported(uint16_t compression) {
    switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
    case COMPRESSION_LZW:
    case COMPRESSION_JPEG:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: return 1;
    default: return 0;
    }
}

static size_t product(size_t one, size_t other) {
    size_t result;
    return __builtin_mul_overflow(one, other, &result) ? SIZE_MAX / 4 : result;
}

static void describe(TIFF *tiff, const TIFFRGBAImage *image, uint16_t compression, swi_tiff_header *header) {
    header->width = image->width;
    header->height = image->height;
    // Newer values than those of the specification are as good as none.
    header->orientation = image->orientation >= 1 && image->orientation <= 8 ? image->orientation : 1;
    // The fourth plane of inks counts as alpha for the library.
    header->has_alpha = image->alpha && image->photometric != PHOTOMETRIC_SEPARATED;
    header->is_lossless = compression != COMPRESSION_JPEG;
    uint32_t band = 0;
    int is_tiled = TIFFIsTiled(tiff);
    if (is_tiled) TIFFGetField(tiff, TIFFTAG_TILELENGTH, &band);
    else TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &band);
    if (band == 0 || band > header->height) band = header->height;
    // Short strips are drawn together.
    if (band < 16) band *= (16 + band - 1) / band;
    header->band = band > header->height ? header->height : band;
    tmsize_t piece = is_tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
    size_t planes = image->isContig ? 1 : (size_t)image->samplesperpixel;
    size_t places = is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    header->byte_count = product(piece > 0 ? (size_t)piece : 0, planes + 1) + product(places, 16) + (1 << 19);
}

/// The numbers of inks, inverted, where the library would guess at their colours.
static void put_inks(
    TIFFRGBAImage *image, uint32_t *to, uint32_t x, uint32_t y, uint32_t width, uint32_t height, int32_t from_skew,
    int32_t to_skew, unsigned char *from
) {
    (void)x, (void)y;
    for (; height; height--, to += to_skew, from += from_skew * image->samplesperpixel)
        for (uint32_t column = 0; column < width; column++, to++, from += image->samplesperpixel)
            *to = ~((uint32_t)from[3] << 24 | (uint32_t)from[2] << 16 | (uint32_t)from[1] << 8 | from[0]);
}

static void put_planes_of_inks(
    TIFFRGBAImage *image, uint32_t *to, uint32_t x, uint32_t y, uint32_t width, uint32_t height, int32_t from_skew,
    int32_t to_skew, unsigned char *cyan, unsigned char *magenta, unsigned char *yellow, unsigned char *black
) {
    (void)image, (void)x, (void)y;
    for (size_t at = 0; height; height--, to += to_skew, at += (size_t)from_skew)
        for (uint32_t column = 0; column < width; column++, to++, at++)
            *to = ~((uint32_t)black[at] << 24 | (uint32_t)yellow[at] << 16 | (uint32_t)magenta[at] << 8 | cyan[at]);
}

/// Whether the pixels are inks that a profile converts.
static int has_inks(const TIFFRGBAImage *image, const swi_decode_request *request) {
    return request->profile && image->photometric == PHOTOMETRIC_SEPARATED;
}

/// Opens the file and prepares the drawing of its first picture.
static int begin(
    source *file, size_t largest, TIFF **tiff, TIFFRGBAImage *image, swi_tiff_header *header
) {
    *tiff = open_file(file, largest);
    if (!*tiff) return status_of(file);
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(*tiff, TIFFTAG_COMPRESSION, &compression);
    if (!is_supported(compression) || !TIFFIsCODECConfigured(compression)) {
        snprintf(
            file->failure->message, sizeof file->failure->message, "the compression %d is not read here", compression);
        return SWI_UNSUPPORTED;
    }
    char message[1024] = "";
    if (!TIFFRGBAImageOK(*tiff, message) || !TIFFRGBAImageBegin(image, *tiff, 1, message)) {
        if (!file->failure->message[0])
            snprintf(file->failure->message, sizeof file->failure->message, "%.200s", message);
        return file->ran_out ? SWI_TRUNCATED : SWI_UNSUPPORTED;
    }
    if (image->width > INT32_MAX || image->height > INT32_MAX) {
        TIFFRGBAImageEnd(image);
        snprintf(file->failure->message, sizeof file->failure->message, "a side is too long");
        return SWI_TOO_LARGE;
    }
    // The library multiplies some colours with their alpha, and others not: here it does nothing to any.
    for (size_t pair = 0; image->UaToAa && pair < 1 << 16; pair++) image->UaToAa[pair] = (uint8_t)pair;
    // As stored: what asks for the stored orientation is not turned.
    image->req_orientation = image->orientation;
    describe(*tiff, image, compression, header);
    return SWI_OK;
}

static void end(TIFF *tiff, TIFFRGBAImage *image, int status) {
    if (status == SWI_OK) TIFFRGBAImageEnd(image);
    if (tiff) TIFFClose(tiff);
}

int swi_tiff_read_header(
    const uint8_t *bytes, size_t count, size_t largest, swi_tiff_header *header, swi_failure *failure
) {
    source file = {.bytes = bytes, .count = count, .failure = failure};
    TIFF *tiff = NULL;
    TIFFRGBAImage image;
    int status = begin(&file, largest, &tiff, &image, header);
    end(tiff, &image, status);
    return status;
}

void swi_tiff_read_colours(
    const uint8_t *bytes, size_t count, size_t allocation, size_t largest, swi_bytes *profile, int *pixels
) {
    swi_failure failure = {0};
    source file = {.bytes = bytes, .count = count, .failure = &failure};
    TIFF *tiff = open_file(&file, allocation);
    uint32_t length = 0;
    uint16_t photometric = 0;
    void *data = NULL;
    if (tiff && TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &length, &data) && length <= largest)
        swi_bytes_append(profile, data, length);
    if (tiff && TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) && photometric == PHOTOMETRIC_SEPARATED)
        *pixels = SWI_PIXELS_INVERTED_CMYK;
    if (tiff) TIFFClose(tiff);
}

/// Hands a band to the reader of rows, a few at a time.
static void pass_on(
    const swi_decode_request *request, const uint8_t *band, size_t y, size_t rows, uint8_t *rgba
) {
    static const size_t at_once = 16;
    size_t stride = (size_t)request->width * 4;
    for (size_t row = 0; row < rows; row++) {
        memcpy(rgba + (y + row) % request->capacity * stride, band + row * stride, stride);
        if ((row + 1) % at_once == 0 || row + 1 == rows) request->drew(request->rows, y + row + 1);
    }
}

static int draw(
    source *file, TIFFRGBAImage *image, const swi_decode_request *request, size_t at_once, uint8_t *rgba,
    uint8_t *own
) {
    size_t stride = (size_t)request->width * 4;
    for (size_t y = 0; y < request->height; y += at_once) {
        size_t rows = request->height - y < at_once ? request->height - y : at_once;
        if (request->look(request->context, rows * request->width)) return SWI_STOPPED;
        uint8_t *band = own ? own : rgba + y * stride;
        if (request->fail_on == SWI_FAIL_NEVER) memset(band, 0, rows * stride);
        image->row_offset = (int)y;
        file->warnings = 0;
        if (!TIFFRGBAImageGet(image, (uint32_t *)band, request->width, (uint32_t)rows)) {
            int status = status_of(file);
            if (request->fail_on != SWI_FAIL_NEVER) return status;
            *request->damage |= SWI_MISSING_PIXELS | (status == SWI_TRUNCATED ? SWI_MISSING_END : SWI_CORRUPT_DATA);
            file->ran_out = 0;
            file->failure->message[0] = 0;
            memset(band, 0, rows * stride);
        } else {
            if (file->warnings && request->fail_on == SWI_FAIL_ON_ANY_DAMAGE) {
                snprintf(file->failure->message, sizeof file->failure->message, "the data of a strip are broken");
                return SWI_MALFORMED;
            }
            if (file->warnings) *request->damage |= SWI_CORRUPT_DATA;
            if (has_inks(image, request)) swi_profile_convert(request->profile, band, band, rows * request->width);
            else if (image->alpha == EXTRASAMPLE_ASSOCALPHA) swi_unpremultiply(band, rows * stride);
        }
        if (own) pass_on(request, own, y, rows, rgba);
    }
    return SWI_OK;
}

int swi_tiff_decode(
    const uint8_t *bytes, size_t count, const swi_decode_request *request, uint8_t *rgba, swi_failure *failure
) {
    source file = {.bytes = bytes, .count = count, .failure = failure};
    TIFF *tiff = NULL;
    TIFFRGBAImage image;
    swi_tiff_header header = {0};
    int begun = begin(&file, request->largest, &tiff, &image, &header), status = begun;
    uint8_t *own = NULL;
    if (begun == SWI_OK && (header.width != request->width || header.height != request->height)) {
        snprintf(failure->message, sizeof failure->message, "the size has changed");
        status = SWI_MALFORMED;
    } else if (begun == SWI_OK && request->drew && !(own = malloc((size_t)header.band * header.width * 4))) {
        status = SWI_NO_MEMORY;
    }
    if (status == SWI_OK && has_inks(&image, request)) {
        if (image.isContig) image.put.contig = put_inks;
        else image.put.separate = put_planes_of_inks;
    }
    if (status == SWI_OK) status = draw(&file, &image, request, header.band, rgba, own);
    free(own);
    end(tiff, &image, begun);
    return status;
}
#endif

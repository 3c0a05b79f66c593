// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const unsigned char *bytes;
    size_t left;
} input;

static int take(GifFileType *file, GifByteType *target, int wanted) {
    input *in = file->UserData;
    size_t count = (size_t)wanted < in->left ? (size_t)wanted : in->left;
    memcpy(target, in->bytes, count);
    in->bytes += count;
    in->left -= count;
    return (int)count;
}

/// Draws the next image on the screen; false on failure.
static bool draw(GifFileType *file, uint32_t *screen, GifPixelType *row, int transparent) {
    if (DGifGetImageDesc(file) != GIF_OK) return false;
    GifImageDesc image = file->Image;
    ColorMapObject *map = image.ColorMap ? image.ColorMap : file->SColorMap;
    if (!map || image.Interlace || image.Left + image.Width > file->SWidth || image.Top + image.Height > file->SHeight)
        return false;
    uint32_t colors[256] = {0};
    for (int index = 0; index < map->ColorCount; index++) {
        GifColorType color = map->Colors[index];
        colors[index] = color.Red | (uint32_t)color.Green << 8 | (uint32_t)color.Blue << 16 | 0xFF000000u;
    }
    for (int y = 0; y < image.Height; y++) {
        if (DGifGetLine(file, row, image.Width) != GIF_OK) return false;
        uint32_t *target = screen + (size_t)(image.Top + y) * file->SWidth + image.Left;
        for (int x = 0; x < image.Width; x++)
            if (row[x] != transparent) target[x] = colors[row[x]];
    }
    return true;
}

int bench_gif_decode(const unsigned char *bytes, size_t count, int limit) {
    input in = {bytes, count};
    int status = 0, frames = 0, transparent = NO_TRANSPARENT_COLOR;
    GifFileType *file = DGifOpen(&in, take, &status);
    if (!file) return 0;
    uint32_t *screen = calloc((size_t)file->SWidth * file->SHeight, 4);
    GifPixelType *row = malloc((size_t)file->SWidth);
    GifRecordType kind = UNDEFINED_RECORD_TYPE;
    while (screen && row && frames < limit && DGifGetRecordType(file, &kind) == GIF_OK) {
        if (kind == TERMINATE_RECORD_TYPE) break;
        if (kind == IMAGE_DESC_RECORD_TYPE) {
            if (!draw(file, screen, row, transparent)) break;
            transparent = NO_TRANSPARENT_COLOR;
            frames++;
        } else if (kind == EXTENSION_RECORD_TYPE) {
            int code = 0;
            GifByteType *block = NULL;
            if (DGifGetExtension(file, &code, &block) != GIF_OK) break;
            while (block) {
                GraphicsControlBlock control;
                if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
                    transparent = control.TransparentColor;
                if (DGifGetExtensionNext(file, &block) != GIF_OK) break;
            }
        }
    }
    bench_black_hole(screen);
    free(screen);
    free(row);
    DGifCloseFile(file, &status);
    return frames;
}

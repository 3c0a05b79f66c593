// SPDX-License-Identifier: MIT
#include "CTransportShims.h"
#include <stdlib.h>
#include <zlib.h>

struct transport_inflater {
    z_stream stream;
};

transport_inflater *transport_inflater_create(void) {
    transport_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return NULL;
    // 16 more than the window: gzip and nothing else.
    if (inflateInit2(&inflater->stream, MAX_WBITS + 16) == Z_OK) return inflater;
    free(inflater);
    return NULL;
}

void transport_inflater_destroy(transport_inflater *inflater) {
    inflateEnd(&inflater->stream);
    free(inflater);
}

transport_inflation transport_inflate(
    transport_inflater *inflater, const uint8_t *bytes, size_t *count, uint8_t *space, size_t *space_count) {
    z_stream *stream = &inflater->stream;
    stream->next_in = (uint8_t *)bytes;
    stream->avail_in = (uInt)*count;
    stream->next_out = space;
    stream->avail_out = (uInt)*space_count;
    int result = inflate(stream, Z_NO_FLUSH);
    *count -= stream->avail_in;
    *space_count -= stream->avail_out;
    switch (result) {
    case Z_STREAM_END: return inflateReset(stream) == Z_OK ? TRANSPORT_INFLATION_MEMBER_ENDED : TRANSPORT_INFLATION_FAILED;
    case Z_OK:
    case Z_BUF_ERROR: return TRANSPORT_INFLATION_GOES_ON;
    default: return TRANSPORT_INFLATION_FAILED;
    }
}

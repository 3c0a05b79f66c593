// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    CURL *handle;
    char *bytes;
    size_t count, capacity;
} transfer;

struct bench_downloader {
    CURLM *multi;
    int concurrency;
    transfer transfers[];
};

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    transfer *transfer = context;
    size_t length = size * count;
    if (!transfer->bytes) {
        curl_off_t expected = 0;
        curl_easy_getinfo(transfer->handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &expected);
        transfer->capacity = expected > 0 ? (size_t)expected : 16384;
        transfer->bytes = malloc(transfer->capacity);
    }
    if (!transfer->bytes || length > transfer->capacity - transfer->count) return 0;
    memcpy(transfer->bytes + transfer->count, bytes, length);
    transfer->count += length;
    return length;
}

static void start(bench_downloader *downloader, transfer *transfer) {
    transfer->bytes = NULL;
    transfer->count = transfer->capacity = 0;
    curl_multi_add_handle(downloader->multi, transfer->handle);
}

bench_downloader *bench_downloader_make(const char *url, bench_download_options options) {
    curl_global_init(CURL_GLOBAL_ALL);
    int concurrency = options.concurrency;
    bench_downloader *downloader = calloc(1, sizeof *downloader + (size_t)concurrency * sizeof(transfer));
    if (!downloader) return NULL;
    downloader->multi = curl_multi_init();
    downloader->concurrency = concurrency;
    curl_multi_setopt(downloader->multi, CURLMOPT_MAXCONNECTS, (long)concurrency + 4);
    for (int i = 0; i < concurrency; i++) {
        transfer *transfer = &downloader->transfers[i];
        CURL *handle = transfer->handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_URL, url);
        long version = options.uses_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
        curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, version);
        curl_easy_setopt(handle, CURLOPT_PIPEWAIT, (long)options.uses_http2);
        if (options.authority) {
            // A directory, which some distributions set, would be searched for every connection.
            curl_easy_setopt(handle, CURLOPT_CAPATH, NULL);
            curl_easy_setopt(handle, CURLOPT_CAINFO, options.authority);
        }
        curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, 60000L);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer);
        curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer);
    }
    return downloader;
}

long bench_downloader_run(bench_downloader *downloader, long count, size_t expected) {
    long started = 0, done = 0, failed = 0;
    while (started < downloader->concurrency && started < count) start(downloader, &downloader->transfers[started++]);
    while (done < count) {
        int running = 0, queued = 0;
        curl_multi_perform(downloader->multi, &running);
        CURLMsg *message;
        bool landed = false;
        while ((message = curl_multi_info_read(downloader->multi, &queued))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            CURLcode result = message->data.result;
            transfer *transfer = NULL;
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&transfer);
            if (result != CURLE_OK || transfer->count != expected) failed++;
            bench_black_hole(transfer->bytes);
            free(transfer->bytes);
            curl_multi_remove_handle(downloader->multi, handle);
            done++;
            landed = true;
            if (started < count) { started++; start(downloader, transfer); }
        }
        if (!landed && done < count) curl_multi_poll(downloader->multi, NULL, 0, 1000, NULL);
    }
    return failed;
}

bool bench_downloader_begin(bench_downloader *downloader, size_t expected) {
    int running = 0, begun = 0;
    for (int i = 0; i < downloader->concurrency; i++) start(downloader, &downloader->transfers[i]);
    do {
        curl_multi_perform(downloader->multi, &running);
        if (running < downloader->concurrency) return false;
        begun = 0;
        for (int i = 0; i < downloader->concurrency; i++) begun += downloader->transfers[i].count >= expected;
        if (begun < downloader->concurrency) curl_multi_poll(downloader->multi, NULL, 0, 1000, NULL);
    } while (begun < downloader->concurrency);
    return true;
}

void bench_downloader_free(bench_downloader *downloader) {
    if (!downloader) return;
    for (int i = 0; i < downloader->concurrency; i++) {
        curl_multi_remove_handle(downloader->multi, downloader->transfers[i].handle);
        curl_easy_cleanup(downloader->transfers[i].handle);
    }
    curl_multi_cleanup(downloader->multi);
    free(downloader);
}

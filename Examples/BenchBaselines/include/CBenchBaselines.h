// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The baselines of the benchmark: each job in plain C on one thread.

/// Gives blocks of 128 KiB and more mappings of their own from now on, which go when the blocks are freed.
void bench_map_large_blocks(void);

/// Gives back to the kernel what the allocator keeps for later.
void bench_trim(void);

/// Seconds of real time since an arbitrary start.
double bench_wall_seconds(void);
/// Seconds of processor time of this process, all threads, user and system.
double bench_cpu_seconds(void);
/// The bytes that this process has allocated and not freed.
size_t bench_heap_bytes(void);
/// Keeps the compiler from removing the work that made the value.
void bench_black_hole(const void *value);

/// Opens, sizes, reads and closes a file, into fresh memory that is freed again. Returns the bytes read, -1 on failure.
ssize_t bench_file_read(const char *path);
/// Writes a file under a temporary name and renames it. Returns whether that worked.
bool bench_file_store(const char *temporary, const char *path, const void *bytes, size_t count);

/// A path prefix and the body served for it.
typedef struct {
    const char *prefix;
    const void *body;
    size_t count;
} bench_route;
typedef struct {
    pid_t process;
    int lifeline;
    uint16_t port;
} bench_server;
/// Forks a child that serves `routes` over HTTP/1.1 on a loopback port until the lifeline closes, so that the origin's
/// work is not counted. `process` is -1 on failure.
bench_server bench_server_start(const bench_route *routes, int count);
void bench_server_stop(bench_server server);
/// Forks a child that sends a head and `sent` bytes of a body of `announced` bytes on every connection, and nothing more.
bench_server bench_holder_start(size_t sent, size_t announced);

/// libcurl's multi interface with warm connections.
typedef struct bench_downloader bench_downloader;
typedef struct {
    /// Transfers at once.
    int concurrency;
    /// Whether HTTP/2 is offered over TLS, and transfers wait for a connection that may share it.
    bool uses_http2;
    /// The PEM file of the trusted authority; NULL without TLS.
    const char *authority;
} bench_download_options;
bench_downloader *bench_downloader_make(const char *url, bench_download_options options);
/// Does `count` GETs, `concurrency` at once, each body copied into memory of its own. Returns how many failed.
long bench_downloader_run(bench_downloader *downloader, long count, size_t expected);
/// Begins as many GETs as go at once, and returns when each has that many bytes of its body; false on failure.
bool bench_downloader_begin(bench_downloader *downloader, size_t expected);
void bench_downloader_free(bench_downloader *downloader);

/// Connections to a server on this machine that send one request again and again, for the price of the system calls.
typedef struct bench_hammer bench_hammer;
/// Opens `count` connections. NULL on failure.
bench_hammer *bench_hammer_make(int port, const char *target, int count);
/// Sends `count` requests. Returns how many were not answered with the whole of a 200.
long bench_hammer_run(bench_hammer *hammer, long count);
void bench_hammer_free(bench_hammer *hammer);

/// A connection to a server of Redis on this machine, through hiredis and without an event loop.
typedef struct bench_redis bench_redis;
bench_redis *bench_redis_make(int port);
/// Reads a value `count` times, each into memory of its own; `depth` commands go out before their replies are read.
/// Returns how many replies had another length.
long bench_redis_run(bench_redis *redis, const char *key, long count, int depth, size_t expected);
void bench_redis_free(bench_redis *redis);

/// Makes a JPEG of gradients and noise, the same for the same arguments; `malloc`ed, NULL on failure.
unsigned char *bench_jpeg_make(int width, int height, int quality, size_t *count);
/// Makes an interlaced PNG of gradients and noise; `malloc`ed. Ends the process on failure.
unsigned char *bench_png_make(int width, int height, size_t *count);
/// Decodes to RGBA at 1/`divisor` (1, 2, 4, 8) of the size by libjpeg alone. Returns the pixels decoded, 0 on failure.
size_t bench_jpeg_decode(const unsigned char *bytes, size_t count, int divisor);
/// Draws the first `limit` frames of a GIF that keeps every frame on one RGBA screen, by giflib alone. Returns how many.
int bench_gif_decode(const unsigned char *bytes, size_t count, int limit);

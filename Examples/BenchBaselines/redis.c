// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>

// hiredis as its manual shows it: one thread that blocks.

struct bench_redis { redisContext *context; };

bench_redis *bench_redis_make(int port) {
    bench_redis *redis = calloc(1, sizeof *redis);
    if (!redis) return NULL;
    redis->context = redisConnect("127.0.0.1", port);
    if (redis->context && !redis->context->err) return redis;
    bench_redis_free(redis);
    return NULL;
}

long bench_redis_run(bench_redis *redis, const char *key, long count, int depth, size_t expected) {
    long failed = 0;
    for (long done = 0; done < count;) {
        long turn = count - done < depth ? count - done : depth;
        for (long i = 0; i < turn; i++)
            if (redisAppendCommand(redis->context, "GET %s", key) != REDIS_OK) return count - done + failed;
        for (long i = 0; i < turn; i++, done++) {
            void *found = NULL;
            if (redisGetReply(redis->context, &found) != REDIS_OK) return count - done + failed;
            redisReply *reply = found;
            if (reply->type != REDIS_REPLY_STRING || (size_t)reply->len != expected) failed++;
            freeReplyObject(reply);
        }
    }
    return failed;
}

void bench_redis_free(bench_redis *redis) {
    if (redis && redis->context) redisFree(redis->context);
    free(redis);
}

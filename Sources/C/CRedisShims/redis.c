// SPDX-License-Identifier: MIT
#include "CRedisShims.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>

static const size_t longest_array = 1024;
static const int deepest_array = 8;
static redisReplyObjectFunctions plain, limited;
static redisReplyObjectFunctions *given;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if HIREDIS_MAJOR > 0
typedef size_t element_count;
#else
typedef int element_count;
#endif

/// hiredis 0.14 refuses deeper arrays itself. Later releases take any, and free them by recursion.
static bool is_too_deep(const redisReadTask *task) {
    int depth = 1;
    while (depth <= deepest_array && (task = task->parent)) depth++;
    return depth > deepest_array;
}

static void *create_array(const redisReadTask *task, element_count count) {
    // A null is taken for a lack of memory, which ends the connection.
    return (size_t)count > longest_array || is_too_deep(task) ? NULL : plain.createArray(task, count);
}

static void prepare(void) {
    plain = *given;
    limited = plain;
    limited.createArray = create_array;
}

void redis_limit_arrays(redisReader *reader) {
    // All readers get the functions of the library, so it does not matter whose are copied.
    if (reader->fn == &limited) return;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    given = reader->fn;
    pthread_once(&once, prepare);
    pthread_mutex_unlock(&lock);
    reader->fn = &limited;
}

int redis_connect_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}

const char *redis_error_text(const redisContext *context) { return context->errstr; }

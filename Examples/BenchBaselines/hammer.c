// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CBenchBaselines.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// A client that costs little: its connections send the same request again and again.

typedef struct {
    int descriptor;
    size_t filled;      // bytes of the head that have come
    long long left;     // bytes of the body that are to come; -1 before the end of the head
    char head[4096];
} connection;

struct bench_hammer {
    int epoll, count;
    size_t length;
    char request[4096];
    connection connections[];
};

bench_hammer *bench_hammer_make(int port, const char *target, int count) {
    bench_hammer *hammer = calloc(1, sizeof(bench_hammer) + (size_t)count * sizeof(connection));
    if (!hammer) return NULL;
    hammer->count = count;
    int length = snprintf(
        hammer->request, sizeof hammer->request, "GET %s HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n", target);
    hammer->length = (size_t)length;
    hammer->epoll = epoll_create1(EPOLL_CLOEXEC);
    bool complete = hammer->epoll >= 0 && hammer->length < sizeof hammer->request;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < count; i++) {
        connection *each = &hammer->connections[i];
        each->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int on = 1;
        setsockopt(each->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = each};
        complete = complete && connect(each->descriptor, (struct sockaddr *)&address, sizeof address) == 0
            && epoll_ctl(hammer->epoll, EPOLL_CTL_ADD, each->descriptor, &event) == 0;
    }
    if (complete) return hammer;
    bench_hammer_free(hammer);
    return NULL;
}

static bool send_request(bench_hammer *hammer, connection *each) {
    each->filled = 0;
    each->left = -1;
    return send(each->descriptor, hammer->request, hammer->length, MSG_NOSIGNAL) == (ssize_t)hammer->length;
}

// Reads what is there. Returns 1 at the end of an answer, 0 before it, -1 for anything but a whole answer of 200.
static int take(connection *each) {
    static char body[1 << 16];
    if (each->left < 0) {
        ssize_t count = recv(
            each->descriptor, each->head + each->filled, sizeof each->head - 1 - each->filled, MSG_DONTWAIT);
        if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
        each->filled += (size_t)count;
        each->head[each->filled] = 0;
        char *end = strstr(each->head, "\r\n\r\n");
        if (!end) return each->filled + 1 < sizeof each->head ? 0 : -1;
        char *length = strcasestr(each->head, "\r\nContent-Length:");
        if (!length || length > end || strncmp(each->head, "HTTP/1.1 200", 12) != 0) return -1;
        each->left = atoll(length + 17) - (long long)(each->head + each->filled - end - 4);
    }
    while (each->left > 0) {
        ssize_t count = recv(each->descriptor, body, sizeof body, MSG_DONTWAIT);
        if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
        each->left -= count;
    }
    return each->left == 0 ? 1 : -1;
}

long bench_hammer_run(bench_hammer *hammer, long count) {
    long started = 0, done = 0;
    struct epoll_event events[64];
    for (int i = 0; i < hammer->count && started < count; i++, started++)
        if (!send_request(hammer, &hammer->connections[i])) return count - done;
    while (done < count) {
        int ready = epoll_wait(hammer->epoll, events, 64, 10000);
        if (ready <= 0) return count - done;
        for (int i = 0; i < ready; i++) {
            connection *each = events[i].data.ptr;
            int step = take(each);
            if (step < 0) return count - done;
            if (step == 0) continue;
            done++;
            if (started < count) {
                started++;
                if (!send_request(hammer, each)) return count - done;
            }
        }
    }
    return 0;
}

void bench_hammer_free(bench_hammer *hammer) {
    if (!hammer) return;
    for (int i = 0; i < hammer->count; i++)
        if (hammer->connections[i].descriptor > 0) close(hammer->connections[i].descriptor);
    if (hammer->epoll >= 0) close(hammer->epoll);
    free(hammer);
}

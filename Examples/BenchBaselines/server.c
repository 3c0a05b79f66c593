// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// The child of a process with threads may make system calls and nothing else: no allocation, no locks, no stdio.
enum { limit = 512, request_limit = 4096, route_limit = 8, listener = 0, lifeline = 1, first_peer = 2 };

typedef struct {
    char request[request_limit];
    size_t received;
    const bench_route *route;
    const char *head;
    size_t head_count, sent;
} peer;

static char heads[route_limit][128];
static struct pollfd polled[limit];
static peer peers[limit];

static void drop(int index) {
    close(polled[index].fd);
    polled[index] = (struct pollfd){.fd = -1};
    memset(&peers[index], 0, sizeof peers[index]);
}

/// Sends the rest of a response; false when the peer has left.
static bool answer(int index) {
    peer *peer = &peers[index];
    while (peer->route) {
        size_t head = peer->sent < peer->head_count ? peer->sent : peer->head_count, body = peer->sent - head;
        struct iovec parts[2] = {
            {(char *)peer->head + head, peer->head_count - head},
            {(char *)peer->route->body + body, peer->route->count - body},
        };
        ssize_t step = writev(polled[index].fd, parts, 2);
        if (step < 0 && errno != EAGAIN) return false;
        polled[index].events = step < 0 ? POLLOUT : POLLIN;
        if (step < 0) return true;
        peer->sent += (size_t)step;
        if (peer->sent == peer->head_count + peer->route->count) peer->route = NULL;
    }
    return true;
}

/// Reads one request; a path without a matching prefix gets the first route.
static bool receive(int index, const bench_route *routes, int count) {
    peer *peer = &peers[index];
    ssize_t step = read(polled[index].fd, peer->request + peer->received, request_limit - 1 - peer->received);
    if (step < 0 && errno == EAGAIN) return true;
    if (step <= 0) return false;
    peer->received += (size_t)step;
    peer->request[peer->received] = 0;
    if (!strstr(peer->request, "\r\n\r\n")) return peer->received < request_limit - 1;
    const char *space = strchr(peer->request, ' '), *path = space ? space + 1 : "";
    int route = 0;
    for (int i = 0; i < count; i++)
        if (strncmp(path, routes[i].prefix, strlen(routes[i].prefix)) == 0) route = i;
    peer->route = &routes[route];
    peer->head = heads[route];
    peer->head_count = strlen(heads[route]);
    peer->sent = peer->received = 0;
    return answer(index);
}

static void accept_peers(void) {
    int socket;
    while ((socket = accept(polled[listener].fd, NULL, NULL)) >= 0) {
        int index = first_peer, on = 1;
        while (index < limit && polled[index].fd >= 0) index++;
        if (index == limit) { close(socket); continue; }
        fcntl(socket, F_SETFL, O_NONBLOCK);
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        polled[index] = (struct pollfd){.fd = socket, .events = POLLIN};
    }
}

static void serve(const bench_route *routes, int count) {
    for (;;) {
        if (poll(polled, limit, -1) < 0 && errno != EINTR) _exit(1);
        if (polled[lifeline].revents) _exit(0);
        if (polled[listener].revents) accept_peers();
        for (int i = first_peer; i < limit; i++) {
            short events = polled[i].revents;
            if (polled[i].fd < 0 || !events) continue;
            if (!(events & POLLOUT ? answer(i) : receive(i, routes, count))) drop(i);
        }
    }
}

static int listen_on_loopback(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (socket_ < 0) return -1;
    if (bind(socket_, (void *)&address, length) || listen(socket_, 256)
        || getsockname(socket_, (void *)&address, &length) || fcntl(socket_, F_SETFL, O_NONBLOCK)) {
        close(socket_);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return socket_;
}

/// Forks the child of a server, which gets the listening socket and its lifeline at numbers of their own.
static bool begin_child(bench_server *server) {
    *server = (bench_server){.process = -1, .lifeline = -1};
    int ends[2], socket_ = listen_on_loopback(&server->port);
    if (socket_ < 0) return false;
    if (pipe(ends)) { close(socket_); return false; }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    server->process = fork();
    if (server->process == 0) {
        signal(SIGPIPE, SIG_IGN);
        // The child closes all descriptors of the parent; otherwise the parent's connections would not end when the
        // parent closes them.
        dup2(socket_, 100);
        dup2(ends[0], 101);
        for (int file = 3; file < 1024; file++)
            if (file != 100 && file != 101) close(file);
        return true;
    }
    close(socket_);
    close(ends[0]);
    server->lifeline = ends[1];
    if (server->process < 0) close(ends[1]);
    return false;
}

bench_server bench_server_start(const bench_route *routes, int count) {
    bench_server server = {.process = -1, .lifeline = -1};
    if (count > route_limit) return server;
    for (int i = 0; i < count; i++)
        snprintf(heads[i], sizeof heads[i], "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n",
                 routes[i].count);
    if (!begin_child(&server)) return server;
    for (int i = 0; i < limit; i++) polled[i].fd = -1;
    polled[listener] = (struct pollfd){.fd = 100, .events = POLLIN};
    polled[lifeline] = (struct pollfd){.fd = 101, .events = POLLIN};
    serve(routes, count);
    _exit(0);
}

bench_server bench_holder_start(size_t sent, size_t announced) {
    static char answer[4096];
    bench_server server = {.process = -1, .lifeline = -1};
    int length = snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", announced);
    if ((size_t)length + sent > sizeof answer || !begin_child(&server)) return server;
    struct pollfd both[2] = {{.fd = 100, .events = POLLIN}, {.fd = 101, .events = POLLIN}};
    while (poll(both, 2, -1) >= 0 && !both[1].revents) {
        int socket;
        // The request stays unread: it is small, and the kernel keeps it.
        while ((socket = accept(100, NULL, NULL)) >= 0) write(socket, answer, (size_t)length + sent);
    }
    _exit(0);
}

void bench_server_stop(bench_server server) {
    if (server.process <= 0) return;
    close(server.lifeline);
    waitpid(server.process, NULL, 0);
}

// SPDX-License-Identifier: MIT
#pragma once
#include <microhttpd.h>
#include <netdb.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

// Functions of libmicrohttpd that are variadic, which Swift does not import; and epoll, which Swift's Glibc lacks.

typedef void *(*microhttpd_target_callback)(void *context, const char *target, struct MHD_Connection *connection);

// Starts a daemon without a thread of its own on a listening socket. Returns NULL on failure.
static inline struct MHD_Daemon *microhttpd_start(
    int listener, unsigned connection_limit, size_t connection_memory, MHD_NotifyConnectionCallback connected,
    microhttpd_target_callback target, MHD_AccessHandlerCallback request, MHD_RequestCompletedCallback completed,
    void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request, context,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_NOTIFY_CONNECTION, connected, context,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_END);
}

// The descriptor that is readable when the daemon has something to do; -1 on failure.
static inline int microhttpd_epoll(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// The size of the head of the present request, with its empty line.
static inline size_t microhttpd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

// The socket of a connection; -1 on failure.
static inline int microhttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// Writes the numeric address of the other end of a socket; an empty text for a Unix socket.
static inline void microhttpd_peer(int descriptor, char *text, size_t count) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    text[0] = 0;
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0 || address.ss_family == AF_UNIX) return;
    if (getnameinfo((struct sockaddr *)&address, length, text, (socklen_t)count, NULL, 0, NI_NUMERICHOST) != 0)
        text[0] = 0;
}

// An event of epoll: a descriptor, and the seat of the actor that watches it.
struct server_event { int descriptor; uint32_t seat; };

static inline int server_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int server_eventfd_create(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
static inline void server_eventfd_signal(int event) { (void)eventfd_write(event, 1); }
static inline void server_eventfd_clear(int event) { eventfd_t value; (void)eventfd_read(event, &value); }

// Watches a descriptor for bytes to read, or, with `hang_up`, for the departure of the peer alone. Returns 0 on success.
static inline int server_epoll_watch(int epoll, int descriptor, uint32_t seat, int hang_up) {
    struct epoll_event event = { .events = hang_up ? EPOLLRDHUP : EPOLLIN };
    event.data.u64 = (uint64_t)seat << 32 | (uint32_t)descriptor;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline void server_epoll_forget(int epoll, int descriptor) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }

// Waits for events, at most 64 at once. Returns their number.
static inline int server_epoll_wait(int epoll, struct server_event *events, int milliseconds) {
    struct epoll_event ready[64];
    int count = epoll_wait(epoll, ready, 64, milliseconds);
    for (int index = 0; index < count; index++) {
        events[index].descriptor = (int)(uint32_t)ready[index].data.u64;
        events[index].seat = (uint32_t)(ready[index].data.u64 >> 32);
    }
    return count < 0 ? 0 : count;
}

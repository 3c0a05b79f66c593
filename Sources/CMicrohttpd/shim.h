// SPDX-License-Identifier: MIT
#pragma once
#include <microhttpd.h>
#include <netdb.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Functions of libmicrohttpd that are variadic, which Swift does not import.

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

// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CEventLoopShims.h"

#if __linux__
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int loop_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
int loop_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
void loop_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    ssize_t written = write(descriptor, &one, sizeof one);
    (void)written;  // The only failure is a full counter, and then the reader is awake anyway.
}
/// What an event of the eventfd carries; no resident of a loop has this number.
static const uint64_t signal_data = UINT64_MAX;

int loop_epoll_watch_signals(int epoll, int descriptor) {
    // Edge-triggered: every signal is an event, and none has to be read.
    struct epoll_event event = {.data = {.u64 = signal_data}, .events = EPOLLIN | EPOLLET};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}
int loop_epoll_watch(int epoll, int descriptor, int readiness, uint32_t token, int is_new) {
    struct epoll_event event = {.data = {.u64 = (uint64_t)token << 32 | (uint32_t)descriptor}};
    event.events = ((readiness & LOOP_READING) ? EPOLLIN : 0) | ((readiness & LOOP_WRITING) ? EPOLLOUT : 0)
        | ((readiness & LOOP_LEAVING) ? EPOLLRDHUP : 0);
    return epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event) == 0 ? 0 : errno;
}
void loop_epoll_forget(int epoll, int descriptor) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }
int loop_epoll_wait(int epoll, loop_event *found, int capacity, int milliseconds) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, capacity < 256 ? capacity : 256, milliseconds);
    int found_count = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 == signal_data) continue;
        uint32_t ready = events[i].events;
        loop_event *event = &found[found_count++];
        event->descriptor = (int)(uint32_t)events[i].data.u64;
        event->token = (uint32_t)(events[i].data.u64 >> 32);
        event->readiness = ((ready & (EPOLLIN | EPOLLHUP)) ? LOOP_READING : 0)
            | ((ready & EPOLLOUT) ? LOOP_WRITING : 0) | ((ready & EPOLLERR) ? LOOP_FAILING : 0)
            | ((ready & (EPOLLRDHUP | EPOLLHUP)) ? LOOP_LEAVING : 0);
    }
    return found_count;
}
void loop_prepare_thread(const char *name) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_setname_np(pthread_self(), name);
}
#endif

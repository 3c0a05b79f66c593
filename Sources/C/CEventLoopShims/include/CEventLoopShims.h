// SPDX-License-Identifier: MIT
#ifndef CEventLoopShims_h
#define CEventLoopShims_h

#include <stdint.h>

#if __linux__
// epoll and eventfd are not in the Glibc module of Swift.
int loop_epoll_create(void);
int loop_eventfd_create(void);
void loop_eventfd_signal(int descriptor);
/// The operations that a descriptor is ready for, or is watched for.
enum { LOOP_READING = 1, LOOP_WRITING = 2, LOOP_FAILING = 4, LOOP_LEAVING = 8 };
/// A descriptor that is ready, and the number of the actor that watches it.
typedef struct {
    int descriptor;
    uint32_t token;
    int readiness;
} loop_event;
/// Lets every signal of the eventfd end a wait; 0 or an errno.
int loop_epoll_watch_signals(int epoll, int descriptor);
/// Watches a descriptor for reading, writing, or the end that the peer has set to its direction; 0 or an errno.
int loop_epoll_watch(int epoll, int descriptor, int readiness, uint32_t token, int is_new);
void loop_epoll_forget(int epoll, int descriptor);
/// Waits and fills `found`, signals left out; the number of events, at most `capacity` and 256.
int loop_epoll_wait(int epoll, loop_event *found, int capacity, int milliseconds);
/// Names the calling thread and keeps every signal of the process away from it.
void loop_prepare_thread(const char *name);
#endif

#endif

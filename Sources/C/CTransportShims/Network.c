// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CTransportShims.h"
#if __linux__
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int transport_netlink_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/// Whether both are the same address, without ports.
static bool is_same(const struct sockaddr *one, const struct sockaddr_storage *other) {
    if (!one || one->sa_family != other->ss_family) return false;
    if (one->sa_family == AF_INET)
        return memcmp(&((const struct sockaddr_in *)one)->sin_addr, &((const struct sockaddr_in *)other)->sin_addr, 4) == 0;
    return one->sa_family == AF_INET6
        && memcmp(&((const struct sockaddr_in6 *)one)->sin6_addr, &((const struct sockaddr_in6 *)other)->sin6_addr, 16) == 0;
}

bool transport_route_interface(bool is_ipv6, char *name, size_t capacity) {
    int descriptor = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return false;
    struct sockaddr_storage address = {0};
    socklen_t length;
    // Public resolvers; connecting a datagram socket looks the route up and sends nothing.
    if (is_ipv6) {
        struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(53);
        inet_pton(AF_INET6, "2001:4860:4860::8888", &six->sin6_addr);
        length = sizeof *six;
    } else {
        struct sockaddr_in *four = (struct sockaddr_in *)&address;
        four->sin_family = AF_INET;
        four->sin_port = htons(53);
        inet_pton(AF_INET, "8.8.8.8", &four->sin_addr);
        length = sizeof *four;
    }
    bool is_routed = connect(descriptor, (struct sockaddr *)&address, length) == 0;
    length = sizeof address;
    is_routed = is_routed && getsockname(descriptor, (struct sockaddr *)&address, &length) == 0;
    close(descriptor);
    struct ifaddrs *all = NULL;
    if (!is_routed || getifaddrs(&all) != 0) return false;
    bool is_found = false;
    for (struct ifaddrs *one = all; one && !is_found; one = one->ifa_next) {
        if (!is_same(one->ifa_addr, &address)) continue;
        is_found = snprintf(name, capacity, "%s", one->ifa_name) < (int)capacity;
    }
    freeifaddrs(all);
    return is_found;
}

transport_interface transport_interface_kind(const char *name) {
    char path[128];
    if (snprintf(path, sizeof path, "/sys/class/net/%s/wireless", name) < (int)sizeof path && access(path, F_OK) == 0)
        return TRANSPORT_WIRELESS;
    struct ifreq request = {0};
    if (strlen(name) >= sizeof request.ifr_name) return TRANSPORT_OTHER;
    strcpy(request.ifr_name, name);
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_known = descriptor >= 0 && ioctl(descriptor, SIOCGIFHWADDR, &request) == 0;
    if (descriptor >= 0) close(descriptor);
    if (!is_known) return TRANSPORT_OTHER;
    switch (request.ifr_hwaddr.sa_family) {
    case ARPHRD_LOOPBACK: return TRANSPORT_LOOPBACK;
    case ARPHRD_ETHER: return TRANSPORT_WIRED;
    default: return TRANSPORT_OTHER;
    }
}
#endif

// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CTransportShims.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode transport_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode transport_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode transport_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode transport_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode transport_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
CURLcode transport_set_data_callback(CURL *easy, CURLoption option, transport_data_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}
CURLcode transport_set_open_socket(CURL *easy, transport_open_socket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
CURLcode transport_set_close_socket(CURL *easy, transport_close_socket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}
CURLcode transport_set_prereq(CURL *easy, transport_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
CURLcode transport_set_resolver_start(CURL *easy, transport_resolver_start_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}

CURLcode transport_set_read(CURL *easy, transport_read_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
}
CURLcode transport_set_seek(CURL *easy, transport_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

CURLcode transport_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
CURLcode transport_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
CURLcode transport_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
CURLcode transport_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, (char **)value);
}

CURLMcode transport_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
CURLMcode transport_multi_set_context(CURLM *multi, void *context) {
    CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return result ? result : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
CURLMcode transport_multi_set_callbacks(
    CURLM *multi, transport_socket_callback socket, transport_timer_callback timer) {
    CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    return result ? result : curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
}

CURLSH *transport_make_session_share(void) {
    CURLSH *share = curl_share_init();
    if (share) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    return share;
}

int transport_message_is_done(const CURLMsg *message, CURLcode *result) {
    *result = CURLE_OK;
    if (message->msg != CURLMSG_DONE) return 0;
    *result = message->data.result;
    return 1;
}

size_t transport_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16], uint16_t *port) {
    // `addr` is declared as a plain sockaddr but libcurl stores the whole address behind it.
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in four;
        memcpy(&four, &address->addr, sizeof four);
        memcpy(bytes, &four.sin_addr, 4);
        *port = ntohs(four.sin_port);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 six;
        memcpy(&six, &address->addr, sizeof six);
        memcpy(bytes, &six.sin6_addr, 16);
        *port = ntohs(six.sin6_port);
        return 16;
    }
    return 0;
}

curl_socket_t transport_open_socket(const struct curl_sockaddr *address, bool *lacks_descriptor) {
#ifdef SOCK_CLOEXEC
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
    *lacks_descriptor = descriptor < 0 && (errno == EMFILE || errno == ENFILE);
    return descriptor;
}

const char *transport_default_ca_directory(void) { return curl_version_info(CURLVERSION_NOW)->capath; }
const char *transport_default_ca_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }
uint32_t transport_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version_num; }

void transport_end_connection(CURL *easy) {
    curl_socket_t descriptor = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &descriptor);
    if (descriptor != CURL_SOCKET_BAD) shutdown(descriptor, SHUT_RDWR);
}

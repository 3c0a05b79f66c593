// SPDX-License-Identifier: MIT
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libcurl's setters and getters are variadic functions, which Swift cannot call: one typed entry per kind of value.
typedef size_t (*transport_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*transport_open_socket_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*transport_close_socket_callback)(void *context, curl_socket_t socket);
typedef int (*transport_prereq_callback)(
    void *context, char *remote_ip, char *local_ip, int remote_port, int local_port);
typedef int (*transport_resolver_start_callback)(void *resolver, void *reserved, void *context);
typedef size_t (*transport_read_callback)(char *buffer, size_t size, size_t count, void *context);
typedef int (*transport_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*transport_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *known);
typedef int (*transport_timer_callback)(CURLM *multi, long milliseconds, void *context);

CURLcode transport_set_long(CURL *easy, CURLoption option, long value);
CURLcode transport_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode transport_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode transport_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode transport_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode transport_set_data_callback(CURL *easy, CURLoption option, transport_data_callback callback);
CURLcode transport_set_open_socket(CURL *easy, transport_open_socket_callback callback);
CURLcode transport_set_close_socket(CURL *easy, transport_close_socket_callback callback);
CURLcode transport_set_prereq(CURL *easy, transport_prereq_callback callback);
CURLcode transport_set_resolver_start(CURL *easy, transport_resolver_start_callback callback);

CURLcode transport_set_read(CURL *easy, transport_read_callback callback);
CURLcode transport_set_seek(CURL *easy, transport_seek_callback callback);

CURLcode transport_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode transport_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode transport_get_string(CURL *easy, CURLINFO info, const char **value);
CURLcode transport_get_pointer(CURL *easy, CURLINFO info, void **value);

/// Ends the connection of the last transfer of a handle, so that libcurl does not use it again.
void transport_end_connection(CURL *easy);

CURLMcode transport_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode transport_multi_set_context(CURLM *multi, void *context);
CURLMcode transport_multi_set_callbacks(
    CURLM *multi, transport_socket_callback socket, transport_timer_callback timer);

/// A share for the TLS sessions of handles that one thread uses at a time; null when there is no memory.
CURLSH *transport_make_session_share(void);

/// The result of a finished transfer, which C keeps in a union; `CURLE_OK` and 0 when the message is another one.
int transport_message_is_done(const CURLMsg *message, CURLcode *result);

/// Copies the 4 or 16 bytes of the address in network order, and sets the port; 0 when it is neither IPv4 nor IPv6.
size_t transport_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16], uint16_t *port);
/// A close-on-exec socket for the address, or `CURL_SOCKET_BAD`.
curl_socket_t transport_open_socket(const struct curl_sockaddr *address, bool *lacks_descriptor);

/// Watches the TLS connections of a handle, when libcurl's TLS is OpenSSL: an end of the stream without `close_notify`
/// is an error and not the end of a body, one call of libcurl makes a bounded number of reads, and no keys are logged.
///
/// libcurl itself hides such an end, reads an HTTP/2 connection for as long as anything comes, and logs keys to the
/// file that `SSLKEYLOGFILE` names.
CURLcode transport_watch_tls(CURL *easy);
/// Whether the TLS connection of a handle has a pinned certificate: in its verified chain or, when the chain was not
/// verified, as the peer's own. A pin is 0 (public key) or 1 (certificate) and 32 bytes of SHA-256.
///
/// Only within a callback of the handle, when the connection is made.
bool transport_peer_has_pin(CURL *easy, bool is_verified, const uint8_t *pins, size_t byte_count);
/// Keeps the certificates that the peer of a handle sends, as a TLS context of OpenSSL verifies them.
void transport_keep_chain(CURL *easy, void *context);
/// Keeps the certificates of the session that a connection goes on with: the peer sends none then.
void transport_keep_session_chain(CURL *easy, const void *ssl);
/// Forgets the certificates that were sent to a handle at this address, on the calling thread.
void transport_forget_chain(CURL *easy);
/// The certificates that the peer has sent to a handle, when its handshake was the last one of the calling thread: each
/// a length of four bytes, the lowest first, and the certificate in DER. Valid until the thread's next handshake.
///
/// At most 16 KB: what comes after is left out.
size_t transport_last_chain(CURL *easy, const uint8_t **bytes);
/// Gives the calling thread its reads for the next call of libcurl.
void transport_allow_tls_reads(void);

/// zlib's state for a sequence of gzip members.
typedef struct transport_inflater transport_inflater;
typedef enum {
    TRANSPORT_INFLATION_GOES_ON,
    /// The next byte begins another member.
    TRANSPORT_INFLATION_MEMBER_ENDED,
    TRANSPORT_INFLATION_FAILED
} transport_inflation;
/// Null when there is no memory.
transport_inflater *transport_inflater_create(void);
void transport_inflater_destroy(transport_inflater *inflater);
/// Decodes until the bytes, the space or a member ends. The counts, below 2^32, become the numbers of bytes taken and
/// written.
transport_inflation transport_inflate(
    transport_inflater *inflater, const uint8_t *bytes, size_t *count, uint8_t *space, size_t *space_count);

/// libcurl's built-in paths: the hashed directory of certificate authorities and the bundle file, or null.
const char *transport_default_ca_directory(void);
const char *transport_default_ca_file(void);
/// The version of the libcurl in use: a byte each for the three parts of its number.
uint32_t transport_curl_version(void);

#if __linux__
/// A socket that becomes readable when links, addresses or routes change; -1 when there is none.
int transport_netlink_open(void);
/// The name of the interface that leads to the public Internet; false without a route.
bool transport_route_interface(bool is_ipv6, char *name, size_t capacity);
typedef enum { TRANSPORT_LOOPBACK, TRANSPORT_WIRED, TRANSPORT_WIRELESS, TRANSPORT_OTHER } transport_interface;
/// The kind of an interface.
transport_interface transport_interface_kind(const char *name);
#endif

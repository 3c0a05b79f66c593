// SPDX-License-Identifier: MIT
#include "CTransportShims.h"
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <string.h>

/// Two reads make a record of at most 16 KB: one call of libcurl takes 1 MB at most.
///
/// When they are used up, each stream of an HTTP/2 connection asks once more and in vain. With an eighth of them, a
/// response of 20 KB beside 63 others cost nine reads instead of two.
enum { reads_per_call = 128 };

static _Thread_local int reads_left = reads_per_call;

void transport_allow_tls_reads(void) { reads_left = reads_per_call; }

/// Runs before and after every read of a TLS connection from its socket.
static long watch_read(
    BIO *bio, int operation, const char *bytes, size_t count, int number, long large, int result, size_t *processed) {
    if (operation == BIO_CB_READ) {
        if (reads_left > 0) {
            reads_left--;
            return result;
        }
        // Reports that no bytes are available for now: libcurl returns, and the socket, which is still readable,
        // reports again.
        BIO_clear_retry_flags(bio);
        BIO_set_retry_read(bio);
        return -1;
    }
    // OpenSSL does not read after a close_notify, so a stream that ends here was truncated.
    if (operation == (BIO_CB_READ | BIO_CB_RETURN) && result == 0) return -1;
    return result;
}

/// Where a context has the handle that it was made for.
static int easy_index;

static void watch_handshake(const SSL *ssl, int where, int result) {
    (void)result;
    if (!(where & SSL_CB_HANDSHAKE_DONE)) return;
    BIO_set_callback_ex(SSL_get_rbio(ssl), watch_read);
    transport_keep_session_chain(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), easy_index), ssl);
}

static CURLcode watch_context(CURL *easy, void *context, void *data) {
    (void)data;
    transport_keep_chain(easy, context);
    SSL_CTX_set_ex_data(context, easy_index, easy);
    SSL_CTX_set_info_callback(context, watch_handshake);
    // libcurl has no option against SSLKEYLOGFILE, with which the environment has the keys written to a file.
    SSL_CTX_set_keylog_callback(context, NULL);
    return CURLE_OK;
}

/// Called once, because libcurl builds its version text anew for every call.
static pthread_once_t asked = PTHREAD_ONCE_INIT;
static bool uses_openssl;

static void ask(void) {
    easy_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
    uses_openssl = library && strncmp(library, "OpenSSL/", 8) == 0;
}

CURLcode transport_watch_tls(CURL *easy) {
    // An earlier handle may have had its address.
    transport_forget_chain(easy);
    pthread_once(&asked, ask);
    if (!uses_openssl) return CURLE_NOT_BUILT_IN;
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, watch_context);
}

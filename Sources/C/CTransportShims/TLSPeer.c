// SPDX-License-Identifier: MIT
#include "CTransportShims.h"
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>

enum { digest_length = 32, pin_length = 1 + digest_length };

/// Whether one of the pins is the digest of the certificate (1) or of its public key (0).
static bool has_pin(X509 *certificate, const uint8_t *pins, size_t count) {
    uint8_t digests[2][EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    uint8_t *key = NULL;
    int key_length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
    if (key_length <= 0) return false;
    int has_digests = EVP_Digest(key, (size_t)key_length, digests[0], &length, EVP_sha256(), NULL)
        && X509_digest(certificate, EVP_sha256(), digests[1], &length);
    OPENSSL_free(key);
    if (!has_digests) return false;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *pin = pins + i * pin_length;
        if (pin[0] <= 1 && memcmp(pin + 1, digests[pin[0]], digest_length) == 0) return true;
    }
    return false;
}

enum { chain_capacity = 16384 };

/// The chain of the last handshake of the thread, and the handle that made it, which is compared and not used.
static _Thread_local uint8_t chain_bytes[chain_capacity];
static _Thread_local size_t chain_length;
static _Thread_local const void *chain_owner;

static void keep(STACK_OF(X509) *sent, const void *owner) {
    chain_owner = owner;
    chain_length = 0;
    for (int i = 0; sent && i < sk_X509_num(sent); i++) {
        int length = i2d_X509(sk_X509_value(sent, i), NULL);
        if (length <= 0 || (size_t)length + 4 > chain_capacity - chain_length) break;
        uint8_t *place = chain_bytes + chain_length;
        for (int byte = 0; byte < 4; byte++) *place++ = (uint8_t)((uint32_t)length >> (8 * byte));
        i2d_X509(sk_X509_value(sent, i), &place);
        chain_length += (size_t)length + 4;
    }
}

/// Verifies as OpenSSL does by itself, and keeps what the peer has sent, for the error.
static int verify(X509_STORE_CTX *store, void *owner) {
    bool is_verified = X509_verify_cert(store) > 0;
    keep(X509_STORE_CTX_get0_untrusted(store), owner);
    return is_verified;
}

void transport_keep_session_chain(CURL *easy, const void *ssl) {
    if (SSL_session_reused(ssl)) keep(SSL_get_peer_cert_chain(ssl), easy);
}

void transport_forget_chain(CURL *easy) {
    if (chain_owner == easy) chain_owner = NULL;
}

void transport_keep_chain(CURL *easy, void *context) { SSL_CTX_set_cert_verify_callback(context, verify, easy); }

size_t transport_last_chain(CURL *easy, const uint8_t **bytes) {
    *bytes = chain_bytes;
    return chain_owner == easy ? chain_length : 0;
}

bool transport_peer_has_pin(CURL *easy, bool is_verified, const uint8_t *pins, size_t byte_count) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return false;
    if (info->backend != CURLSSLBACKEND_OPENSSL || !info->internals) return false;
    SSL *ssl = info->internals;
    size_t count = byte_count / pin_length;
    if (!is_verified) {
        X509 *leaf = SSL_get1_peer_certificate(ssl);
        bool result = leaf && has_pin(leaf, pins, count);
        X509_free(leaf);
        return result;
    }
    if (SSL_get_verify_result(ssl) != X509_V_OK) return false;
    STACK_OF(X509) *chain = SSL_get0_verified_chain(ssl);
    for (int i = 0; chain && i < sk_X509_num(chain); i++)
        if (has_pin(sk_X509_value(chain, i), pins, count)) return true;
    return false;
}

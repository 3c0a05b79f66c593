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

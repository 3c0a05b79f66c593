// SPDX-License-Identifier: MIT
// SHA-256 by itself, without a search for its implementation in each call, is deprecated and stays; so is MD5.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>

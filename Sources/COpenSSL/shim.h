// SPDX-License-Identifier: MIT
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/sha.h>

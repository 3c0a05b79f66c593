#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/sha.h>

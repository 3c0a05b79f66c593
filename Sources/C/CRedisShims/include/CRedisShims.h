// SPDX-License-Identifier: MIT
#pragma once
#include <hiredis/hiredis.h>

/// Makes a reader refuse arrays of more than 1,024 elements, for which hiredis would allocate whatever is announced, and
/// more than 8 in each other, which it would free by recursion.
void redis_limit_arrays(redisReader *reader);

/// The error of a socket that has tried to connect; 0 when it is connected.
int redis_connect_error(int descriptor);

/// The text of a context's error.
const char *redis_error_text(const redisContext *context);

// SPDX-License-Identifier: MIT
#pragma once
#include "include/CImageShims.h"

/// Appends `count` bytes, doubling the room as needed. Zero on success, -1 when memory ran out.
int swi_bytes_append(swi_bytes *bytes, const uint8_t *from, size_t count);

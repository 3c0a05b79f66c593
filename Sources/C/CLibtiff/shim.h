// SPDX-License-Identifier: MIT
#include <tiffio.h>

// SPDX-License-Identifier: MIT
#include <libheif/heif.h>

// SPDX-License-Identifier: MIT
#include <hiredis/hiredis.h>

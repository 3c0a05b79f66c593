// SPDX-License-Identifier: MIT
#include <lcms2.h>

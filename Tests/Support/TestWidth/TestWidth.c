// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#include "TestWidth.h"

#include <stdlib.h>

#define TEXT(number) #number
#define TEXT_OF(macro) TEXT(macro)

__attribute__((constructor)) static void limit_test_width(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", TEXT_OF(TEST_WIDTH), 0);
}

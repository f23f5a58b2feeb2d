// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's loop: calls `callback` with one input after another, until a limit among the arguments ends it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted on this platform: only glibc lets a program replace its `malloc`.
bool allocation_counter_works(void);

/// The number of allocations of the calling thread since it began.
uint64_t allocation_counter_read(void);

/// The number of bytes that the process has allocated and not freed, with the allocator's own for each object.
uint64_t allocation_counter_bytes(void);

/// Takes a value, which the optimizer must therefore compute.
void allocation_counter_keep(const void *value);

#endif

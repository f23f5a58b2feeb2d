// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted on this platform: only glibc lets a program stand before its `malloc`.
bool allocation_counter_works(void);

/// How often the calling thread has asked for memory since it began.
uint64_t allocation_counter_read(void);

/// Does nothing with a value, out of the optimizer's sight.
void allocation_counter_keep(const void *value);

#endif

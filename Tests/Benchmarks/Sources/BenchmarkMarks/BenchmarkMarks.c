// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#include "BenchmarkMarks.h"

__attribute__((noinline)) void benchmark_mark(void) { __asm__ volatile("" : : : "memory"); }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#ifndef BENCHMARK_MARKS_H
#define BENCHMARK_MARKS_H

/// Does nothing. Callgrind begins a new count when a function of this name is called.
void benchmark_mark(void);

#endif

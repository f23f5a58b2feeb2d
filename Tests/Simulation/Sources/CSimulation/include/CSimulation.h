// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#ifndef CSIMULATION_H
#define CSIMULATION_H

#include <stdbool.h>
#include <stdint.h>

/// Passes all jobs of the Swift runtime to `enqueue`, and delayed ones to `enqueue_at` or `call_at` with a time of the
/// simulated boot clock in nanoseconds. Returns false if the runtime lacks a hook.
bool simulation_install(void (*enqueue)(void *job), void (*enqueue_at)(int64_t time, void *job),
                        void (*call_at)(int64_t time, void (*function)(void *), void *context));

/// Runs a job of the Swift runtime on this thread.
void simulation_run(void *job);

/// From now on `clock_gettime` returns these times, in nanoseconds.
void simulation_set_clocks(int64_t realtime, int64_t monotonic, int64_t boottime);
/// From now on Swift's random numbers follow from a seed.
void simulation_set_random(uint64_t seed);
/// The real time of a monotonic clock, in nanoseconds.
int64_t simulation_real_nanoseconds(void);

/// A stack of its own for a body that is interrupted in the middle. Only one of all stacks runs at a time.
typedef struct simulation_fiber simulation_fiber;

simulation_fiber *simulation_fiber_make(void);
/// Starts a body, and returns when it ends or pauses.
/// Returns true if it has ended.
bool simulation_fiber_start(simulation_fiber *fiber, void (*body)(void *), void *argument);
/// Continues a paused body, and returns when it ends or pauses. Returns true if it has ended.
bool simulation_fiber_continue(simulation_fiber *fiber);
/// Pauses the body that runs. Does nothing outside a fiber.
void simulation_fiber_pause(void);

#endif

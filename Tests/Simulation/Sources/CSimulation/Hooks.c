// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#define _GNU_SOURCE
#include "CSimulation.h"

#include <dlfcn.h>
#include <stddef.h>

// The hooks of the Swift runtime, as in its `Concurrency.h`. Jobs and functions are opaque here.
#define SWIFT __attribute__((swiftcall))

static void (*enqueue_job)(void *);
static void (*enqueue_job_at)(int64_t, void *);
static void (*enqueue_call_at)(int64_t, void (*)(void *), void *);

static int64_t boottime(void) {
    extern int64_t simulation_boottime;
    return simulation_boottime;
}

SWIFT static void global(void *job, void *original) { enqueue_job(job); }

SWIFT static void delayed(unsigned long long delay, void *job, void *original) {
    enqueue_job_at(boottime() + (int64_t)delay, job);
}

SWIFT static void with_deadline(long long seconds, long long nanoseconds, long long tolerance_seconds,
                                long long tolerance_nanoseconds, int clock, void *job, void *original) {
    // Clocks of the runtime run alike here.
    int64_t limit = (int64_t)1 << 32;
    enqueue_job_at((seconds < limit ? seconds : limit) * 1000000000 + nanoseconds, job);
}

/// `Task.sleep` does not use the hooks for delayed jobs, but this function. It replaces that of libdispatch for the whole
/// program: the dynamic linker looks into the program first.
///
/// Only the continuous clock is expected, whose times have the first of two flags.
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*function)(void *)) {
    if (!enqueue_call_at) {
        void (*original)(uint64_t, void *, void *, void (*)(void *)) = dlsym(RTLD_NEXT, "dispatch_after_f");
        return original(when, queue, context, function);
    }
    enqueue_call_at((int64_t)(when & 0x3FFFFFFFFFFFFFFF), function, context);
}

static bool set(const char *name, void *function) {
    void **hook = dlsym(RTLD_DEFAULT, name);
    if (!hook) return false;
    *hook = function;
    return true;
}

bool simulation_install(void (*enqueue)(void *), void (*enqueue_at)(int64_t, void *),
                        void (*call_at)(int64_t, void (*)(void *), void *)) {
    enqueue_call_at = call_at;
    enqueue_job = enqueue;
    enqueue_job_at = enqueue_at;
    return set("swift_task_enqueueGlobal_hook", global) && set("swift_task_enqueueMainExecutor_hook", global) &&
           set("swift_task_enqueueGlobalWithDelay_hook", delayed) &&
           set("swift_task_enqueueGlobalWithDeadline_hook", with_deadline);
}

/// The executor is a pair of words; two zeros are the global one.
SWIFT extern void swift_job_run(void *job, void *identity, uintptr_t implementation);

void simulation_run(void *job) { swift_job_run(job, NULL, 0); }

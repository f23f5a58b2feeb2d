// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A fiber is a stack of its own on the thread of the scheduler, so a switch costs no scheduling of the system. It pauses in
// file calls only, where the Swift runtime has no task of this thread.
#define _GNU_SOURCE
#include "CSimulation.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

struct simulation_fiber {
    ucontext_t own, caller;
    void (*body)(void *);
    void *argument;
    bool has_ended;
};

enum { stack_size = 512 * 1024 };

static simulation_fiber *current;

static void leave(simulation_fiber *fiber) {
    if (swapcontext(&fiber->own, &fiber->caller)) abort();
}

static void run(void) {
    simulation_fiber *fiber = current;
    while (true) {
        fiber->body(fiber->argument);
        fiber->has_ended = true;
        leave(fiber);
    }
}

simulation_fiber *simulation_fiber_make(void) {
    simulation_fiber *fiber = calloc(1, sizeof(simulation_fiber));
    void *stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (!fiber || stack == MAP_FAILED || getcontext(&fiber->own)) abort();
    fiber->own.uc_stack.ss_sp = stack;
    fiber->own.uc_stack.ss_size = stack_size;
    makecontext(&fiber->own, run, 0);
    return fiber;
}

bool simulation_fiber_start(simulation_fiber *fiber, void (*body)(void *), void *argument) {
    fiber->body = body;
    fiber->argument = argument;
    fiber->has_ended = false;
    return simulation_fiber_continue(fiber);
}

bool simulation_fiber_continue(simulation_fiber *fiber) {
    // A kill inside a fiber lets the other fibers of the process end.
    simulation_fiber *former = current;
    current = fiber;
    if (swapcontext(&fiber->caller, &fiber->own)) abort();
    current = former;
    return fiber->has_ended;
}

void simulation_fiber_pause(void) {
    if (current) leave(current);
}

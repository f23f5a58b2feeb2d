// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A fiber is a thread that runs only while the caller waits for it. So nothing runs at the same time, and the Swift
// runtime finds its thread-local values, which a switch of stacks would mix up.
#include "CSimulation.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>

struct simulation_fiber {
    pthread_t thread;
    sem_t go, back;
    void (*body)(void *);
    void *argument;
    bool has_ended;
};

static __thread simulation_fiber *current;

static void *run(void *argument) {
    simulation_fiber *fiber = current = argument;
    while (true) {
        sem_wait(&fiber->go);
        fiber->body(fiber->argument);
        fiber->has_ended = true;
        sem_post(&fiber->back);
    }
    return NULL;
}

simulation_fiber *simulation_fiber_make(void) {
    simulation_fiber *fiber = calloc(1, sizeof(simulation_fiber));
    sem_init(&fiber->go, 0, 0);
    sem_init(&fiber->back, 0, 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 512 * 1024);
    if (pthread_create(&fiber->thread, &attributes, run, fiber)) abort();
    pthread_attr_destroy(&attributes);
    return fiber;
}

bool simulation_fiber_start(simulation_fiber *fiber, void (*body)(void *), void *argument) {
    fiber->body = body;
    fiber->argument = argument;
    fiber->has_ended = false;
    return simulation_fiber_continue(fiber);
}

bool simulation_fiber_continue(simulation_fiber *fiber) {
    sem_post(&fiber->go);
    while (sem_wait(&fiber->back)) {
    }
    return fiber->has_ended;
}

void simulation_fiber_pause(void) {
    if (!current) return;
    simulation_fiber *fiber = current;
    sem_post(&fiber->back);
    while (sem_wait(&fiber->go)) {
    }
}

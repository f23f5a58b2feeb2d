// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// These functions replace those of the C library and of the Swift runtime for the whole program: the dynamic linker
// looks into the program first.
#define _GNU_SOURCE
#include "CSimulation.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t simulation_boottime;
static int64_t realtime, monotonic;
static bool is_simulated, is_seeded;
static uint64_t state;

void simulation_set_clocks(int64_t real, int64_t mono, int64_t boot) {
    realtime = real;
    monotonic = mono;
    simulation_boottime = boot;
    is_simulated = true;
}

static int64_t simulated(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: return realtime;
    case CLOCK_BOOTTIME: return simulation_boottime;
    default: return monotonic;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_simulated) return (int)syscall(SYS_clock_gettime, clock, time);
    int64_t now = simulated(clock);
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

int64_t simulation_real_nanoseconds(void) {
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void simulation_set_random(uint64_t seed) {
    state = seed;
    is_seeded = true;
}

/// SplitMix64.
static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

void swift_stdlib_random(void *bytes, size_t count) {
    unsigned char *out = bytes;
    if (!is_seeded) {
        while (count > 0) {
            ssize_t got = getrandom(out, count, 0);
            if (got <= 0) continue;
            out += got;
            count -= (size_t)got;
        }
        return;
    }
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word = next();
        for (size_t j = i; j < count && j < i + 8; j++) out[j] = (unsigned char)(word >> 8 * (j - i));
    }
}

int getentropy(void *bytes, size_t count) {
    swift_stdlib_random(bytes, count);
    return 0;
}

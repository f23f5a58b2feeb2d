// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#include "AllocationCounter.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

void allocation_counter_keep(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <malloc.h>

// The executable's `malloc` replaces that of the C library, which has its own under these names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// In an executable this thread-local model needs no allocation on first use.
static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));

bool allocation_counter_works(void) { return true; }
uint64_t allocation_counter_read(void) { return count; }

uint64_t allocation_counter_bytes(void) {
    struct mallinfo2 info = mallinfo2();  // of all arenas
    return info.uordblks + info.hblkhd;
}

void *malloc(size_t size) { return count++, __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return count++, __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return count++, __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return count++, __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return count++, __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    count++;
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

#else

bool allocation_counter_works(void) { return false; }
uint64_t allocation_counter_read(void) { return 0; }
uint64_t allocation_counter_bytes(void) { return 0; }

#endif

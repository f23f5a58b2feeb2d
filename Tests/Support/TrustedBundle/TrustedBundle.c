// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#define _GNU_SOURCE
#include "TrustedBundle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *bundle = NULL;

void trusted_bundle_use(const char *path) { bundle = path; }

#ifdef __GLIBC__
typedef FILE *opener(const char *, const char *);

static FILE *open_with(const char *name, const char *path, const char *mode) {
    opener *next = (opener *)dlsym(RTLD_NEXT, name);
    int is_bundle = bundle && strcmp(path, "/etc/ssl/certs/ca-certificates.crt") == 0;
    return next(is_bundle ? bundle : path, mode);
}

// The executable's functions replace those of the C library, also for OpenSSL below libcurl.
FILE *fopen(const char *path, const char *mode) { return open_with("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_with("fopen64", path, mode); }
#endif

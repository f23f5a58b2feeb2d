// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#include "TraitNotice.h"

#if !defined(FULL) && defined(__linux__)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_what_was_left_out(void) {
    fputs("Left out: the tests of async-http-client, gRPC, telemetry, sign-ins, encryption and the documentation's\n"
          "samples of them. They need traits: `swift test --traits Full` runs them.\n", stdout);
}

// `swift test` starts the program twice: for XCTest, which has no tests here, and for Swift Testing.
__attribute__((constructor)) static void note_traits(int count, char **arguments) {
    for (int index = 1; index < count; index++) {
        if (strcmp(arguments[index], "swift-testing") == 0) {
            atexit(say_what_was_left_out);
            return;
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// How many tests of one process run at a time, where the environment does not say otherwise.
///
/// Linking the target is enough: it tells Swift Testing before that starts. Without it all tests begin at once: each with a
/// server and its connections, which makes well over a thousand descriptors, and on two cores the time limit of a test is then
/// mostly spent on the others. (Of a process with more than about 1,350 descriptors, Foundation's `Process` may crash:
/// swift-corelibs-foundation, pull request 5472, in no release yet of Swift 6.3.)
#define TEST_WIDTH 16

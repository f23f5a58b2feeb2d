// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The number of tests that run at a time in one process, unless the environment sets it.
///
/// Linking the target is enough: it sets the number before Swift Testing starts. Without it all tests begin at once, each with a
/// server and its connections. That takes well over a thousand descriptors, and on two cores a test spends most of its time
/// limit waiting for others. (In a process with more than about 1,350 descriptors, Foundation's `Process` may crash:
/// swift-corelibs-foundation, pull request 5472, in no release of Swift 6.3 yet.)
#define TEST_WIDTH 16

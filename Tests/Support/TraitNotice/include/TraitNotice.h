// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Linked into the tests: prints at the end of a run which tests were left out because their traits are off.

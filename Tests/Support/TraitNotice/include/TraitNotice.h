// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// Linked into the tests: says at the end of a run what was left out for want of traits.

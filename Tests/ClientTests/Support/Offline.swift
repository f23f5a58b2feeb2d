// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The network of a token service is down.
struct Offline: Error {}

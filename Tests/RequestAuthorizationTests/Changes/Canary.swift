// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationTesting

/// Signals its deallocation: then its owner has gone too.
final class Canary: Sendable {
    private let end: OneShot<Void>

    init(_ end: OneShot<Void>) { self.end = end }

    deinit { end.fulfill() }
}

/// Refers to an object without keeping it alive.
struct Weak<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}

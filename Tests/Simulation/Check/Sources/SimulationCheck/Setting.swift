// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What the verdict has to know of a run beside its ledger.
public struct Setting: Hashable, Sendable {
    public enum Store: String, Hashable, Sendable { case files, leased }

    public var store: Store
    /// How long the server accepts a spent token again, in nanoseconds; 0 for a strict server.
    public var grace: Int64
    /// The longest time that a request may take, in nanoseconds.
    public var requestLimit: Int64
    /// The duration of a lease.
    public var lease: Int64

    /// How long a process that finds a lost call needs to send its token again.
    var retryTime: Int64 { store == .files ? 3_000_000_000 : lease + 5_000_000_000 }

    public init(
        store: Store, grace: Int64, requestLimit: Int64 = 125_000_000_000, lease: Int64 = 10_000_000_000
    ) {
        (self.store, self.grace, self.requestLimit, self.lease) = (store, grace, requestLimit, lease)
    }
}

/// A promise that was broken.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    public enum Promise: String, Hashable, Sendable, CaseIterable {
        case duplicateCall, sessionLost, olderOverNewer, resurrected, otherPerson, otherOrigin, afterSignOut
        case itemLost, requestWithoutEnd, leftover
    }

    public let promise: Promise
    public let detail: String
    /// Nanoseconds since the beginning of the run.
    public let time: Int64

    public init(_ promise: Promise, _ detail: String, at time: Int64) {
        (self.promise, self.detail, self.time) = (promise, detail, time)
    }

    public var description: String { "\(promise.rawValue) at \(time / 1_000_000) ms: \(detail)" }
}

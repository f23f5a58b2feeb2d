// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// The database that the replicas of a run share.
public struct FleetOptions: Hashable, Sendable {
    /// A URL for libpq. Its user must be allowed to create a schema and to end connections.
    public var database: URL
    /// The lease, in seconds.
    public var lease = 10.0
    /// The clock offset in seconds: a third of the replicas is ahead by it, another third behind.
    public var clockOffset = 0.0
    /// A command that crashes the database, and returns when it runs again; `nil` for no crash.
    public var restart: String?

    public init(database: URL) { self.database = database }

    /// How long a replica is stopped, in seconds. It exceeds the lease.
    var stop: Double { lease + 2 }
}

/// The program was built without the database driver.
struct FleetUnavailable: Error, CustomStringConvertible {
    var description: String { "this was built without the trait Fleet" }
}

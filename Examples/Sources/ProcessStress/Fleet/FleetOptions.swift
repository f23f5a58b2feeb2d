// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// The database that the replicas of a run share.
public struct FleetOptions: Hashable, Sendable {
    /// A URL as libpq takes it. Its user may make a schema, and end connections.
    public var database: URL
    /// Seconds.
    public var lease = 10.0
    /// By how many seconds the clocks of a third of the replicas go ahead, and those of another third behind.
    public var clockOffset = 0.0
    /// A command that crashes the database and returns when it runs again; `nil` to leave it alone.
    public var restart: String?

    public init(database: URL) { self.database = database }

    /// How long a replica is stopped, in seconds: beyond its lease.
    var stop: Double { lease + 2 }
}

/// The program was built without the driver of the database.
struct FleetUnavailable: Error, CustomStringConvertible {
    var description: String { "this was built without the trait Fleet" }
}

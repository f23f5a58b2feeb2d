// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import RequestAuthorizationStorage

/// Opens the database with a name of the form `redis:PORT` or `sqlite:PATH`.
public func openDatabase(_ name: String) throws -> any RecordDatabase {
    let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
    if parts.count == 2, parts[0] == "redis", let port = UInt16(parts[1]) {
        return RedisRecords(RedisConnection(port: port))
    }
    if parts.count == 2, parts[0] == "sqlite" { return try SQLiteRecords(path: parts[1]) }
    throw TokenStoreError(.unsuitable, "the database is neither redis:PORT nor sqlite:PATH")
}

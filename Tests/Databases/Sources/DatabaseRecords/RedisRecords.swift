// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation
public import RequestAuthorizationStorage

// sample: redis
/// Records in Redis. The server needs `appendfsync always`, or a crash loses what it has confirmed, and `maxmemory-policy
/// noeviction`, or it drops sessions when its memory is full.
public struct RedisRecords: RecordDatabase {
    let redis: RedisConnection

    public init(_ redis: RedisConnection) { self.redis = redis }

    public func read(_ key: String) async throws -> DatabaseRecord? {
        guard case .data(let data?) = try await redis.call(["GET", "tokens:" + key].map { Data($0.utf8) }) else {
            return nil
        }
        return DatabaseRecord(data)
    }

    public func replace(_ old: Data?, by new: Data?, at key: String) async throws -> Bool {
        let script = """
            if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
            if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end
            return 1
            """
        let command = ["EVAL", script, "1", "tokens:" + key].map { Data($0.utf8) } + [old ?? Data(), new ?? Data()]
        do {
            if case .number(1) = try await redis.call(command) { return true } else { return false }
        } catch let error as RedisConnection.ServerError where error.text.contains("OOM command") {
            throw TokenStoreError(.noSpace, "Redis has no memory left; raise maxmemory", underlying: error)
        }
    }
}
// end sample

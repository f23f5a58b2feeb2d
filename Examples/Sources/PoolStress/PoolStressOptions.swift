// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a run does.
public struct PoolStressOptions: Hashable, Sendable {
    /// How many identities there are; each is used a few times, while those around it are.
    public var identities = 100_000
    /// How many idle providers the pool keeps.
    public var limit = 1_000
    /// How many tasks use the pool at a time.
    public var tasks = 64
    /// Uses a table that evicts the oldest, in use or not, in place of the pool.
    public var withoutPool = false

    public init() {}

    /// How often each identity is used.
    var uses: Int { 3 }
    /// How many identities are in use at a time: more than the limit, so that they are evicted and asked for again.
    var crowd: Int { min(identities, limit * 3 / 2) }
    /// After how many look-ups a token expires: each one does so a few times while its identity is in use.
    var lifetime: Int { max(crowd * uses / 3, tasks * 20) }
    /// After how many identities the memory is looked at for the first time.
    var first: Int { min(identities, 2 * limit) }
    var lookUps: Int { identities * uses }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The options of a run.
public struct PoolStressOptions: Hashable, Sendable {
    /// The number of identities. Each is used a few times, at about the same time as its neighbours.
    public var identities = 100_000
    /// The number of idle providers that the pool keeps.
    public var limit = 1_000
    /// The number of tasks that use the pool at the same time.
    public var tasks = 64
    /// Whether to use a table in place of the pool, which evicts the oldest provider even if it is in use.
    public var withoutPool = false

    public init() {}

    /// The number of uses of each identity.
    var uses: Int { 3 }
    /// The number of identities in use at the same time. It exceeds the limit, so that they are evicted and used again.
    var crowd: Int { min(identities, limit * 3 / 2) }
    /// The lifetime of a token in look-ups. It expires a few times while its identity is in use.
    var lifetime: Int { max(crowd * uses / 3, tasks * 20) }
    /// The number of identities after which the memory is measured for the first time.
    var first: Int { min(identities, 2 * limit) }
    var lookUps: Int { identities * uses }
}

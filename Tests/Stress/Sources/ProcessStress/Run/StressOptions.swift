// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The options of a run.
public struct StressOptions: Hashable, Sendable {
    /// What the workers are tested with.
    public enum Trial: Hashable, Sendable {
        /// The clock is moved past the expiry of the token this many times. All workers continue each time.
        case expiries(Int)
        /// The same number of expiries in real time, with this token lifetime in seconds.
        case realTime(Int, lifetime: Double)
        /// This many processes are killed at each point.
        case killPoints(Int, [KillPoint])
        /// A process is killed every 0.05 s, for this many seconds.
        case randomKills(seconds: Double)
        /// The disk is full for five seconds during a refresh, this many times.
        case fullDisk(Int)
        /// During a refresh, a worker signs in as another user, signs out, or removes the session, this many times.
        case sessionChanges(Int)
        /// For this many seconds, replicas are killed and stopped, connections are cut, and the database is restarted.
        case chaos(seconds: Double)
    }

    public var trial: Trial
    public var workers = 16
    public var graceMode = GraceMode.previousOnly
    /// The grace, in seconds.
    public var grace = 5.0
    /// Every n-th answer of the token endpoint is dropped; 0 for none.
    public var losesEvery = 0
    public var withoutLock = false
    public var withoutIntent = false
    /// The workers do not learn of changes that their siblings make in the store.
    public var withoutWatch = false
    /// A removed session counts as lost by accident, and every save is allowed.
    public var withoutEnd = false
    /// A refused request is sent again in the session that is current by then.
    public var withoutBinding = false
    /// How often a second process looks at each entry of the store's folder.
    public var watches = 0
    /// The database that the workers share, as the hosts of a fleet do; `nil` for a file.
    public var fleet: FleetOptions?

    public init(_ trial: Trial) { self.trial = trial }

    /// The longest time that an `authorize` call may take: the deadline of the library's default policy.
    static let deadline = 30.0

    var setting: RunSetting {
        let expiries: Int? =
            switch trial {
            case .expiries(let count), .realTime(let count, _): count
            case .killPoints, .randomKills, .fullDisk, .sessionChanges, .chaos: nil
            }
        var setting = RunSetting(
            workers: workers, expiries: expiries, graceMode: graceMode, grace: grace, deadline: Self.deadline)
        if fleet != nil { setting.isFleet = true }
        if case .chaos = trial {
            setting.isChaos = true
            // A stopped process takes as long as it is stopped, independent of the library.
            setting.deadline += 2 * (fleet?.stop ?? 0)
        }
        if let offset = fleet?.clockOffset, offset != 0 { setting.clockOffset = offset }
        return setting
    }

    /// The lifetime of access tokens, in seconds.
    var lifetime: Double {
        switch trial {
        case .realTime(_, let lifetime): lifetime
        case .chaos: 1
        case .expiries, .killPoints, .randomKills, .fullDisk, .sessionChanges: 3600
        }
    }

    /// The delay of the next answer after the commit.
    var delay: Duration {
        switch trial {
        case .expiries, .realTime: .zero
        case .killPoints, .randomKills, .fullDisk, .sessionChanges, .chaos: .milliseconds(Int.random(in: 20...40))
        }
    }

    /// The delay of a 401 that is given on purpose. The session may change meanwhile.
    var refusalDelay: Duration {
        if case .sessionChanges = trial { .milliseconds(Int.random(in: 0...100)) } else { .zero }
    }
}

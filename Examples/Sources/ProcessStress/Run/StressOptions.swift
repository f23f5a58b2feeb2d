// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a run shall do.
public struct StressOptions: Hashable, Sendable {
    /// How the workers are put to the test.
    public enum Trial: Hashable, Sendable {
        /// So many times the clock is moved past the expiry of the token, and all go on.
        case expiries(Int)
        /// The same with tokens that live for so many seconds of the machine's time.
        case realTime(Int, lifetime: Double)
        /// So many processes are killed at each point.
        case killPoints(Int, [KillPoint])
        /// For so many seconds somebody is killed every 0.05 s.
        case randomKills(seconds: Double)
        /// So many times the disk is full for five seconds while a token is refreshed.
        case fullDisk(Int)
        /// So many times somebody signs in as somebody else, signs out, or removes the session, while a token is refreshed.
        case sessionChanges(Int)
        /// For so many seconds replicas are killed and stopped, connections are cut, and the database is restarted.
        case chaos(seconds: Double)
    }

    public var trial: Trial
    public var workers = 16
    public var graceMode = GraceMode.previousOnly
    /// Seconds.
    public var grace = 5.0
    /// Each how many-th answer of the token endpoint is dropped; 0 for none.
    public var losesEvery = 0
    public var withoutLock = false
    public var withoutIntent = false
    /// Nobody hears of what siblings do to the store.
    public var withoutWatch = false
    /// A session that somebody removed counts as lost by accident, and every save is allowed.
    public var withoutEnd = false
    /// A request that was refused is sent again as whoever is signed in by then.
    public var withoutBinding = false
    /// How often a second process looks at each entry of the store's folder meanwhile.
    public var watches = 0
    /// The store is a database that the workers share as the hosts of a fleet do; `nil` for a file.
    public var fleet: FleetOptions?

    public init(_ trial: Trial) { self.trial = trial }

    /// The longest an `authorize` may be held: the deadline of the library's default policy.
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
            // Who is stopped is held for as long, whatever the library does.
            setting.deadline += 2 * (fleet?.stop ?? 0)
        }
        if let offset = fleet?.clockOffset, offset != 0 { setting.clockOffset = offset }
        return setting
    }

    /// Of access tokens, in seconds.
    var lifetime: Double {
        switch trial {
        case .realTime(_, let lifetime): lifetime
        case .chaos: 1
        case .expiries, .killPoints, .randomKills, .fullDisk, .sessionChanges: 3600
        }
    }

    /// How long the next answer is held back after the commit.
    var delay: Duration {
        switch trial {
        case .expiries, .realTime: .zero
        case .killPoints, .randomKills, .fullDisk, .sessionChanges, .chaos: .milliseconds(Int.random(in: 20...40))
        }
    }

    /// How long a 401 is held back that is given on purpose: the session may change before it is there.
    var refusalDelay: Duration {
        if case .sessionChanges = trial { .milliseconds(Int.random(in: 0...100)) } else { .zero }
    }
}

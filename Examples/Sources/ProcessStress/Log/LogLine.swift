// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// A line of the server's log: written before anybody is answered, and without any secret.
///
///     {"event":"committed","number":12,"place":{"family":0,"generation":3},"process":{"life":0,"worker":5},"time":3.25}
///
/// The verdict on a run is made from these lines alone; see ``LogCheck``.
public struct LogLine: Hashable, Sendable, Codable {
    public enum Event: String, Hashable, Sendable, Codable {
        /// The run has begun.
        case began
        /// A worker's process has been started.
        case started
        /// A worker's process died at a ``LogLine/point``.
        case killed
        /// A sign-in: the token at the place was issued.
        case signedIn
        /// The refresh token at the place was exchanged for its successor.
        case committed
        /// It was presented again and brought the same successor.
        case replayed
        /// It was presented again, and the family is over.
        case reused
        /// A refresh token of a family that is over, or that was never issued.
        case refused
        /// The answer to a ``LogLine/call`` went out.
        case answered
        /// The answer to a ``LogLine/call`` found nobody, or was dropped on purpose (then there is a ``LogLine/detail``).
        case answerLost
        /// A worker used the access token at the place.
        case used
        /// A worker presented an access token that was not good, or was told so on purpose.
        case unauthorized
        /// A worker got an error in place of a token.
        case failed
        /// A worker was told that the session is over.
        case signedOut
        /// Somebody signed out or removed the session at the place: it is over for everybody.
        case ended
        /// The token at the place is in the store: somebody else's sign-in, in place of all earlier sessions.
        case replaced
        /// A worker's request belonged to a session that somebody else's has replaced, and was not sent.
        case dismissed
        /// A worker's process has been stopped, to go on later.
        case stopped
        /// It goes on.
        case resumed
        /// Connections to the database have been ended; ``LogLine/detail`` says how.
        case cut
        /// The database has been crashed and started again.
        case restarted
        /// The store has kept the token at the generation of the place; ``LogLine/session`` and ``LogLine/savedAt`` say more. The
        /// database itself notes that; it is added at the end of the run.
        case saved
        /// From now on the disk is full for a while.
        case diskFull
        /// A worker has waited for a bare lock instead of the store's; see ``lockWaits``.
        case controlled
        /// By the clock the token at the place has expired, and all workers are asked to go on.
        case expired
    }

    public var event: Event
    public var number: Int
    /// Seconds since the run began, by the clock page.
    public var time: Double
    public var process: ProcessName?
    public var place: Place?
    /// The number of the line that is answered.
    public var call: Int?
    /// Which request of the process it was; all tries of the same one have the same number.
    public var request: Int?
    /// Where a process was killed; `random` if it was anywhere.
    public var point: String?
    /// How long an `authorize` was held, in seconds by the machine's clock.
    public var held: Double?
    public var detail: String?
    /// How long the process waited for exclusive access each time since its last line, in seconds by the machine's clock.
    public var lockWaits: [Double]?
    public var setting: RunSetting?
    /// The session in the row that was saved.
    public var session: UUID?
    /// When a row was saved, in seconds since the run began, if the clock page has not been moved.
    public var savedAt: Double?

    public init(
        _ event: Event, number: Int = 0, time: Double = 0, process: ProcessName? = nil, place: Place? = nil,
        call: Int? = nil, point: String? = nil, held: Double? = nil, detail: String? = nil,
        setting: RunSetting? = nil
    ) {
        self.event = event
        self.number = number
        self.time = time
        self.process = process
        self.place = place
        self.call = call
        self.point = point
        self.held = held
        self.detail = detail
        self.setting = setting
    }

    /// Reads a log.
    public static func read(_ url: URL) throws -> [LogLine] {
        let decoder = JSONDecoder()
        return try Data(contentsOf: url).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(LogLine.self, from: $0)
        }
    }

    /// The line with its line break.
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self) + [UInt8(ascii: "\n")]
        }
    }
}

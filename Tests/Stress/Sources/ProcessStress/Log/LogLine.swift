// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// A line of the server's log. It is written before the answer is sent, and holds no secret.
///
///     {"event":"committed","number":12,"place":{"family":0,"generation":3},"process":{"life":0,"worker":5},"time":3.25}
///
/// ``LogCheck`` derives the verdict on a run from these lines alone.
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
        /// The refresh token was presented again and brought the same successor.
        case replayed
        /// The refresh token was presented again, and the family is over.
        case reused
        /// A refresh token was presented whose family is over, or which was never issued.
        case refused
        /// The answer to a ``LogLine/call`` was sent.
        case answered
        /// The answer to a ``LogLine/call`` did not reach its client, or was dropped on purpose (then there is a
        /// ``LogLine/detail``).
        case answerLost
        /// A worker used the access token at the place.
        case used
        /// A worker presented an invalid access token, or got a 401 on purpose.
        case unauthorized
        /// A worker got an error in place of a token.
        case failed
        /// A worker was told that the session is over.
        case signedOut
        /// A worker signed out or removed the session at the place. The session is over for all workers.
        case ended
        /// The token at the place is in the store. It is another user's sign-in and replaces all earlier sessions.
        case replaced
        /// A request was not sent, because another user's session has replaced the session of the request.
        case dismissed
        /// A worker's process has been suspended.
        case stopped
        /// The process continues.
        case resumed
        /// Connections to the database have been cut; ``LogLine/detail`` says how.
        case cut
        /// The database has been crashed and started again.
        case restarted
        /// The store has saved the token with the generation of the place; see ``LogLine/session`` and
        /// ``LogLine/savedAt``. The database records this; it is added at the end of the run.
        case saved
        /// The disk is full for a while from now on.
        case diskFull
        /// A worker has waited for a bare lock instead of the store's; see ``lockWaits``.
        case controlled
        /// The clock has passed the expiry of the token at the place, and all workers are told to use a token.
        case expired
    }

    public var event: Event
    public var number: Int
    /// Seconds since the run began, by the clock page.
    public var time: Double
    public var process: ProcessName?
    public var place: Place?
    /// The number of the line whose call is answered.
    public var call: Int?
    /// The number of the request in its process. All tries of a request have the same number.
    public var request: Int?
    /// Where a process was killed; `random` for any moment.
    public var point: String?
    /// How long an `authorize` call took, in seconds by the machine's clock.
    public var held: Double?
    public var detail: String?
    /// Each wait of the process for exclusive access since its last line, in seconds by the machine's clock.
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

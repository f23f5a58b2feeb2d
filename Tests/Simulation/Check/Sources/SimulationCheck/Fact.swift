// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A line of the ledger: what a server, the store or the run itself has seen.
public struct Fact: Sendable, CustomStringConvertible {
    /// Nanoseconds since the beginning of the run.
    public let time: Int64
    public let event: Event

    public init(time: Int64, _ event: Event) { (self.time, self.event) = (time, event) }

    public var description: String {
        let milliseconds = String(time / 1_000_000)
        let padding = String(repeating: " ", count: max(0, 8 - milliseconds.count))
        return "\(padding)\(milliseconds) ms  \(String(describing: event).replacing("SimulationCheck.", with: ""))"
    }
}

/// A token of the authorization server: the session it belongs to, and its number among all tokens.
public struct Place: Hashable, Sendable, CustomStringConvertible {
    public let family: Int
    public let serial: Int

    public init(family: Int, serial: Int) { (self.family, self.serial) = (family, serial) }

    public var description: String { "\(family).\(serial)" }
}

/// How the authorization server answered a refresh token.
public enum Presentation: Hashable, Sendable {
    case committed(next: Int)
    /// Within the grace period: the same answer again.
    case replayed(next: Int)
    /// A spent token: the server ends the session.
    case reused
    /// The session is over.
    case refused
}

/// What the store shows after a change.
public struct StoredView: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable { case token, tombstone, nothing, damaged }

    public var kind: Kind
    /// The library's session.
    public var session: String
    public var generation: Int
    /// The token, if there is one.
    public var place: Place?

    public init(_ kind: Kind, session: String = "", generation: Int = 0, place: Place? = nil) {
        (self.kind, self.session, self.generation, self.place) = (kind, session, generation, place)
    }

    public var description: String {
        "\(kind.rawValue) \(place.map(String.init(describing:)) ?? "")  session \(session.prefix(8)) generation \(generation)"
    }
}

/// How a request ended for its caller.
public enum Outcome: Hashable, Sendable {
    case answered(Int)
    case failed(String)
    case cancelled
}

/// The disturbances that explain a loss.
public enum Trouble: Hashable, Sendable {
    /// The disk or the database is full.
    case full
    /// The database answers no call, or loses the answer.
    case database
}

/// What happened. Processes are named by a number that no other process of the run has.
public enum Event: Hashable, Sendable {
    case issued(Place, user: String)
    /// - `isUnexpected`: an operator has ended the session, and not the library.
    case revoked(family: Int, isUnexpected: Bool)
    /// A process sends a refresh token.
    case asked(call: Int, process: Int, Place)
    /// - `isRepeated`: the network has doubled the request.
    case presented(call: Int, process: Int, Place, Presentation, isRepeated: Bool)
    /// The process has the answer.
    case delivered(call: Int)
    case answerLost(call: Int)

    case requestBegan(request: Int, process: Int, isProbe: Bool)
    case requestEnded(request: Int, Outcome)
    /// A resource server has got a credential. `isOurs` is whether the provider may send it there.
    case used(request: Int, process: Int, Place, origin: String, isOurs: Bool)

    case signInBegan(process: Int)
    case signedIn(process: Int, family: Int)
    case signOutBegan(process: Int)
    case signedOut(process: Int)

    /// A process changes the item that all processes share beside the token. Each value is used once.
    /// - `over`: the value that it replaces, if the change has this condition.
    case itemChangeBegan(change: Int, process: Int, value: Int?, over: Int?)
    /// The change has been made, or has failed and makes no difference from now on.
    case itemChangeEnded(change: Int, isMade: Bool)
    case itemReadBegan(read: Int, process: Int)
    /// - `value`: -1 for a damaged item.
    case itemRead(read: Int, value: Int?)

    case started(process: Int)
    case killed(process: Int)
    case stopped(process: Int, until: Int64)
    /// The system ended the time in which a process may hold exclusive access.
    case accessEnded(process: Int)
    case powerLost
    case trouble(Trouble, until: Int64)
    case stored(StoredView)
    /// After a power failure: the content that the disk still has.
    case recovered(StoredView)
    /// The faults end.
    case calm
    /// A call of the store, for people. Only traced runs have it.
    case remark(process: Int, String)
    /// A process ended with something left.
    case left(process: Int, what: String)
}

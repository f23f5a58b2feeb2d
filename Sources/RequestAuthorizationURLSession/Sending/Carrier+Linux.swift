// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

/// A session of our own with the settings, stores and caches of the user's, which carries the user's calls.
///
/// swift-corelibs-foundation hands each answer to the session's delegate queue, and an `OperationQueue` takes 30 µs to pass it on:
/// a tenth of a whole request on loopback. Only a session that we make can have a queue that does not wait. `data(for:)` goes
/// around that queue by a short cut of its own, which a task whose redirects are watched cannot have.
final class Carrier: Sendable {
    let settings: SessionSettings
    /// For the requests that get a connection of their own.
    let slots = ConnectionSlots()
    /// With the user's settings.
    let session: URLSession
    /// The same without a cache.
    private let sessionWithoutCache: URLSession
    /// The same for bodies that are written to files, once there is one.
    private let files = Lock<URLSession?>(nil)

    /// - Parameter session: lends its settings. Its delegate is not needed: ``HopDelegate`` turns to the user's.
    convenience init(like session: URLSession) {
        self.init(
            Self.session(session.configuration), without: { Self.session(session.configuration, keepsCache: false) })
    }

    private init(_ session: URLSession, without sessionWithoutCache: () -> URLSession) {
        self.session = session
        settings = SessionSettings(session.configuration)
        self.sessionWithoutCache = session.configuration.urlCache == nil ? session : sessionWithoutCache()
    }

    deinit {
        session.finishTasksAndInvalidate()
        if sessionWithoutCache !== session { sessionWithoutCache.finishTasksAndInvalidate() }
        files.withLock { $0 }?.finishTasksAndInvalidate()
    }

    /// The session for a request. Foundation keeps no answer to one with an `Authorization` field, and yet looks through a folder for
    /// it each time.
    func session(for request: URLRequest) -> URLSession {
        request.credential(in: "Authorization") == nil ? session : sessionWithoutCache
    }

    /// The session for downloads, whose delegate is a ``FileWriter``. What goes into a file is kept in no cache.
    var sessionForFiles: URLSession {
        files.withLock { files in
            if let files { return files }
            let new = Self.session(session.configuration, keepsCache: false, delegate: FileWriter())
            files = new
            return new
        }
    }

    /// A carrier for one call, whose connections nobody else uses.
    func withOwnConnections() -> Carrier {
        let own = Self.session(session.configuration)
        return Carrier(own) { own }
    }

    private static func session(
        _ configuration: URLSessionConfiguration, keepsCache: Bool = true, delegate: FileWriter? = nil
    ) -> URLSession {
        // A session hands out its own configuration here, which is not to be changed.
        let changed = keepsCache ? nil : configuration.copy() as? URLSessionConfiguration
        changed?.urlCache = nil
        return URLSession(configuration: changed ?? configuration, delegate: delegate, delegateQueue: ImmediateQueue())
    }
}

extension Carrier {
    private struct Entry {
        weak var user: URLSession?
        let carrier: Carrier
    }

    private static let entries = Lock<[ObjectIdentifier: Entry]>([:])

    /// The one that carries all calls of a session for as long as that session lives.
    static func of(_ session: URLSession) -> Carrier {
        let key = ObjectIdentifier(session)
        if let carrier = entries.withLock({ $0[key].flatMap { $0.user === session ? $0.carrier : nil } }) {
            return carrier
        }
        let new = Carrier(like: session)
        // Those of sessions that are gone are let go of when nothing is locked any more.
        let (carrier, ended) = entries.withLock { entries in
            if let entry = entries[key], entry.user === session { return (entry.carrier, [:]) }
            let ended = entries.filter { $0.value.user == nil }
            for key in ended.keys { entries[key] = nil }
            entries[key] = Entry(user: session, carrier: new)
            return (new, ended)
        }
        withExtendedLifetime(ended) {}
        return carrier
    }
}

/// Does what it is given at once, on the thread that gives it.
///
/// `@unchecked` because `OperationQueue` is so: there is nothing in it but what that class guards.
private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif

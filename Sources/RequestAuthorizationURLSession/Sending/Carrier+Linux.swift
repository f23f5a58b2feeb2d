// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)

/// Carries the user's calls over a session of ours, which has the settings, stores and caches of the user's session.
///
/// swift-corelibs-foundation hands each answer to the session's delegate queue. An `OperationQueue` takes 30 µs to
/// pass it on, a tenth of a whole request on loopback. Only a session that we make can have a queue that runs it at
/// once. `data(for:)` bypasses that queue, but a task whose redirects are watched cannot do so.
final class Carrier: Sendable {
    let settings: SessionSettings
    /// Slots for the requests that get a connection of their own.
    let slots = ConnectionSlots()
    let session: URLSession
    private let sessionWithoutCache: URLSession
    /// The session for bodies that are written to files, made for the first of them.
    private let files = Lock<URLSession?>(nil)
    /// The carrier of requests without the session's cookies, made for the first of them.
    private let cookieless = Lock<Carrier?>(nil)
    private let cookies: CookieAcceptance

    /// - Parameter configuration: that of the user's session, whose delegate ``HopDelegate`` calls.
    private convenience init(_ configuration: URLSessionConfiguration) {
        self.init(
            Self.session(configuration), without: { Self.session(configuration, keepsCache: false) },
            cookies: CookieAcceptance(configuration))
    }

    private init(_ session: URLSession, without sessionWithoutCache: () -> URLSession, cookies: CookieAcceptance) {
        self.session = session
        self.cookies = cookies
        settings = SessionSettings(session.configuration)
        self.sessionWithoutCache = session.configuration.urlCache == nil ? session : sessionWithoutCache()
    }

    deinit {
        session.finishTasksAndInvalidate()
        if sessionWithoutCache !== session { sessionWithoutCache.finishTasksAndInvalidate() }
        files.withLock { $0 }?.finishTasksAndInvalidate()
    }

    /// The session for a request: without a cache if it has a credential, whose owner alone may see the answer.
    ///
    /// Of all credentials Foundation knows `Authorization` only. It caches no answer to that field, but searches the
    /// cache's folder each time.
    func session(for request: URLRequest, by rule: RedirectRule) -> URLSession {
        rule.isCredentialHeld(by: request) ? sessionWithoutCache : session
    }

    /// The session for downloads. Its delegate is a ``FileWriter``, and it has no cache.
    var sessionForFiles: URLSession {
        files.withLock { files in
            if let files { return files }
            let new = Self.session(session.configuration, keepsCache: false, delegate: FileWriter())
            files = new
            return new
        }
    }

    /// A carrier for one call, which shares no connection with other calls.
    func withOwnConnections() -> Carrier {
        let own = Self.session(session.configuration, keepsCache: false)
        return Carrier(own, without: { own }, cookies: cookies)
    }

    /// The carrier for a request, which may want none of the session's cookies.
    ///
    /// swift-corelibs-foundation does not read `httpShouldHandleCookies`.
    func handlingCookies(of request: URLRequest) -> Carrier {
        guard !request.httpShouldHandleCookies else { return self }
        return cookieless.withLock { cookieless in
            if let cookieless { return cookieless }
            let changed = session.configuration.copy() as? URLSessionConfiguration
            changed?.httpCookieStorage = nil
            let new = Carrier(changed ?? session.configuration)
            cookieless = new
            return new
        }
    }

    /// Who stores the cookies of the responses that a session of this carrier receives; `nil` if the session does.
    func cookies(of session: URLSession) -> CookieAcceptance? {
        session.configuration.acceptsCookies ? nil : cookies
    }

    private static func session(
        _ configuration: URLSessionConfiguration, keepsCache: Bool = true, delegate: FileWriter? = nil
    ) -> URLSession {
        // On Linux a session returns its own configuration, not a copy, so it must not be changed.
        let isChanged = !keepsCache || configuration.urlCache == nil
        let changed = isChanged ? configuration.copy() as? URLSessionConfiguration : nil
        changed?.urlCache = nil
        changed?.httpCookieAcceptPolicy = .never
        return URLSession(configuration: changed ?? configuration, delegate: delegate, delegateQueue: ImmediateQueue())
    }
}

extension Carrier {
    struct Entry {
        weak var user: URLSession?
        let carrier: Carrier
    }

    typealias Entries = Lock<[ObjectIdentifier: Entry]>

    private static let entries = Entries([:])

    /// The carrier of all calls of a session, for as long as that session lives.
    static func of(_ session: URLSession) -> Carrier { of(session, among: entries) }

    /// - Parameter entries: those of the process. While a carrier is added, all other sessions are retained for a moment.
    static func of(_ session: URLSession, among entries: Entries) -> Carrier {
        let key = ObjectIdentifier(session)
        if let carrier = entries.withLock({ $0[key].flatMap { $0.user === session ? $0.carrier : nil } }) {
            return carrier
        }
        let new = Carrier(session.configuration)
        // Released after the lock: carriers of sessions that no longer exist, and sessions that end meanwhile.
        let (carrier, others) = entries.withLock { entries -> (Carrier, [(user: URLSession?, carrier: Carrier)]) in
            if let entry = entries[key], entry.user === session { return (entry.carrier, []) }
            let others = entries.map { (key: $0.key, user: $0.value.user, carrier: $0.value.carrier) }
            for other in others where other.user == nil { entries[other.key] = nil }
            entries[key] = Entry(user: session, carrier: new)
            return (new, others.map { ($0.user, $0.carrier) })
        }
        withExtendedLifetime(others) {}
        return carrier
    }
}

/// Runs each block at once, on the thread that adds it.
///
/// `@unchecked` because `OperationQueue` is, and this class adds no state.
private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif

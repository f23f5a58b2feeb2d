// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Creates the provider of one identity once. Other callers wait until it exists.
final class Making<Provider: AnyObject & Sendable>: Sendable {
    private let provider = Lock<Provider?>(nil)
    private let turn: MakingTurn

    init(_ identity: @escaping @Sendable () -> String) { turn = MakingTurn(identity) }

    /// Returns the provider. The first caller creates it.
    func provider(_ make: () -> Provider) throws(CircularProviders) -> Provider {
        try turn.wait()
        return try provider.withLock { provider throws(CircularProviders) in
            turn.begin()
            defer { turn.end() }
            if let provider { return provider }
            let new = make()
            provider = new
            return new
        }
    }

    /// Releases a former provider. A caller that creates the next one waits until its `deinit` has run.
    func release(_ former: inout Provider?) {
        provider.withLock { _ in
            turn.begin()
            defer { turn.end() }
            former = nil
        }
    }
}

/// The turn of one thread to create or release the provider of an identity.
///
/// A thread may ask for another provider meanwhile. If threads waited for each other in a circle, they would block for
/// ever. So a thread looks for the circle before it waits.
private final class MakingTurn: Sendable {
    private struct Threads {
        /// The numbers of the threads whose turns they are.
        var holders: [ObjectIdentifier: Int] = [:]
        var waiting: [Int: MakingTurn] = [:]
    }

    /// The threads of all pools: a circle may lead through several.
    private static let threads = Lock(Threads())
    private let identity: @Sendable () -> String

    init(_ identity: @escaping @Sendable () -> String) { self.identity = identity }

    /// Notes that this thread waits for its turn.
    func wait() throws(CircularProviders) {
        let thread = ThreadNumbers.shared.current
        let circle = Self.threads.withLock { threads -> [MakingTurn] in
            var path = [self]
            while let holder = path.last.flatMap({ threads.holders[ObjectIdentifier($0)] }) {
                if holder == thread { return path }
                guard let next = threads.waiting[holder] else { break }
                path.append(next)
            }
            threads.waiting[thread] = self
            return []
        }
        if !circle.isEmpty { throw CircularProviders(identities: circle.map { $0.identity() }) }
    }

    func begin() {
        let thread = ThreadNumbers.shared.current
        Self.threads.withLock { threads in
            threads.waiting[thread] = nil
            threads.holders[ObjectIdentifier(self)] = thread
        }
    }

    func end() { Self.threads.withLock { $0.holders[ObjectIdentifier(self)] = nil } }
}

/// The error when the closure of an ``AuthorizationPool`` needs, in the end, the provider that it is creating.
///
/// It asked the pool for the same identity, or for one whose closure waits for this one. A `deinit` of a provider's parts
/// that asks for its own identity does the same. Create one of the providers without the other.
public struct CircularProviders: Error, Sendable {
    /// The circle: the identity that was asked for, then those that its creation waits for. The last one is being created,
    /// or released, by the thread that asked.
    public let identities: [String]

    /// Names the identities, for a program that ends.
    var sentence: String {
        guard let asked = identities.first, let making = identities.last, identities.count > 1 else {
            return
                "the provider of \(identities.joined()) was asked for while it is being created or released; \(Self.advice)"
        }
        return "the provider of \(asked) was asked for while that of \(making) is being created, which it waits for; "
            + Self.advice
    }

    fileprivate static let advice =
        "do not ask an AuthorizationPool for the other provider in its closure or in a deinit, or use provider(of:), "
        + "which throws"
}

extension CircularProviders: OwnDescription {
    /// Contains a number, not the identities: an identity may be the name of a user.
    @usableFromInline package var ownDescription: String {
        "\(identities.count) providers wait for each other; \(Self.advice)"
    }
}

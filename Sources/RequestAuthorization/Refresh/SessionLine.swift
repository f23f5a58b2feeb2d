// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Consecutive sessions of this process. A session that a sibling puts in place begins another line.
///
/// A request may go on in a later session of its line: the program that signed the user in knows for whom its requests
/// are. A request must not go on in another line.
struct SessionLine: Hashable {
    /// Counts the sessions that siblings have replaced.
    private(set) var number = 0
    /// The session of the last held token.
    private(set) var session: UUID?
    /// The hashed header values of this line. The first line accepts all values and records none.
    private var headers: [Int] = []

    /// How many tokens are remembered. A request is not sent again if it is answered more refreshes later than that.
    private static let memory = 16

    /// Notes that the provider adopts a token from the store.
    mutating func adopt(_ held: HeldToken) {
        guard let session, session != held.version.session else { return }
        number += 1
        headers = []
    }

    /// Notes that a token is held.
    mutating func note(_ held: HeldToken) {
        session = held.version.session
        guard number > 0 else { return }
        headers.append(held.header.hashValue)
        if headers.count > Self.memory { headers.removeFirst() }
    }

    /// Whether a request with this header value may be sent again. A request without one was not authorized here.
    func includes(_ header: String?) -> Bool {
        guard let header, number > 0 else { return true }
        return headers.contains(header.hashValue)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Sessions that follow one another by what this process itself does; a sibling that replaces the session begins another line.
///
/// A request may go on from one session of a line to the next: the program that signs somebody in knows whom its requests
/// speak for. It must not go on to another line.
struct SessionLine: Hashable {
    /// Counts the sessions that siblings have replaced.
    private(set) var number = 0
    /// The session of the token that was held last.
    private(set) var session: UUID?
    /// The header values of this line, as hashes. In the first line any value belongs to it, and none is noted.
    private var headers: [Int] = []

    /// How many tokens of a line are known: a request that is answered later than so many refreshes is not sent again.
    private static let memory = 16

    /// The store holds a token that this process did not bring there; it is taken over.
    mutating func adopt(_ held: HeldToken) {
        guard let session, session != held.version.session else { return }
        number += 1
        headers = []
    }

    /// A token is held from now on.
    mutating func note(_ held: HeldToken) {
        session = held.version.session
        guard number > 0 else { return }
        headers.append(held.header.hashValue)
        if headers.count > Self.memory { headers.removeFirst() }
    }

    /// Whether a request with this header value may be sent again. One without a value was not authorized here.
    func includes(_ header: String?) -> Bool {
        guard let header, number > 0 else { return true }
        return headers.contains(header.hashValue)
    }
}

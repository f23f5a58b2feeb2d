// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A server sent an invalid nonce (RFC 9449 §8.1), which was ignored, or none where one is required.
package struct InvalidProofNonce: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Problem: Hashable, Sendable, Labelled {
        package let label: String

        /// The nonce is longer than 1 KiB.
        package static let tooLong = Problem(label: "too long")
        /// The nonce is empty, contains characters that are not allowed, or there are several.
        package static let malformed = Problem(label: "malformed")
        /// The server requires a nonce and sends none.
        package static let missing = Problem(label: "missing")
        /// The server asks for the nonce that the refused proof had.
        package static let repeated = Problem(label: "repeated")
    }

    package let problem: Problem

    package init(_ problem: Problem) { self.problem = problem }

    package var description: String {
        guard problem == .repeated else {
            return "the server's nonce for proofs is \(problem), so no proof can contain it; report it to the server's "
                + "operator"
        }
        return "the server refused a proof with the nonce that it asks for, so another proof would be refused too; "
            + "report it to the server's operator"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What the Web API said instead of an answer: its regular error object.
struct SpotifyError: Error, Hashable {
    let status: Int
    let message: String

    init(status: Int, body: Data) {
        struct Regular: Decodable {
            struct Details: Decodable { let message: String }
            let error: Details
        }
        self.status = status
        message = (try? JSONDecoder().decode(Regular.self, from: body).error.message) ?? "unreadable answer"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// The regular error object of the Web API.
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

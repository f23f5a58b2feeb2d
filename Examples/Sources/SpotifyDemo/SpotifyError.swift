// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A wrong answer of the Web API.
struct SpotifyError: Error, Hashable {
    let status: Int
}

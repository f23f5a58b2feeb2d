// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import SpotifyWebAPI

/// `spotify me`.
struct ProfileReport: ToolReport {
    let id: String
    let uri: String
    let name: String?
    let email: String?
    let country: String?
    let product: String?

    init(_ user: User) {
        (id, uri, name) = (user.id, user.uri, user.displayName)
        (email, country, product) = (user.email, user.country, user.product)
    }

    var blocks: [Block] {
        let more = [("email", email), ("country", country), ("product", product)]
        return [
            .facts(
                [("name", .bold(name ?? id)), ("id", Span(id))]
                    + more.compactMap { name, value in value.map { (name, Span($0)) } })
        ]
    }
}

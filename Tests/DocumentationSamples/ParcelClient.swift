// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// An HTTP client of somebody else. It knows nothing of authorization, and follows no redirects.
struct ParcelClient: Sendable {
    let transport: @Sendable (Parcel) async throws -> ParcelAnswer

    func run(_ parcel: Parcel) async throws -> ParcelAnswer { try await transport(parcel) }
}

struct Parcel: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        case stream(AsyncStream<[UInt8]>)
    }

    var verb = "GET"
    var address: URL
    /// By names in lower case.
    var headers: [String: String] = [:]
    var body: Body?
}

struct ParcelAnswer: Sendable {
    var code: Int
    var headers: [(name: String, value: String)] = []

    /// The parcel that follows a redirect.
    func redirection(of parcel: Parcel) -> Parcel? {
        guard [301, 302, 303, 307, 308].contains(code),
            let location = headers.first(where: { $0.name.lowercased() == "location" })?.value,
            let address = URL(string: location, relativeTo: parcel.address)?.absoluteURL
        else { return nil }
        var next = parcel
        next.address = address
        if code < 307, parcel.verb != "HEAD" { (next.verb, next.body) = ("GET", nil) }
        return next
    }
}

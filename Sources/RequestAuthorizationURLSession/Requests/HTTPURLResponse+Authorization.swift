// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Gives providers the status and the challenge fields of a response of `URLSession`.
extension HTTPURLResponse: AuthorizableResponse {
    /// The value of a header field, or an empty array. Names are compared without case.
    ///
    /// There is at most one element, because `URLSession` joins the lines of a repeated field with commas. On Linux
    /// it does so only for lines whose names are spelt alike, and may lose the others.
    public func headerValues(for field: String) -> [String] {
        value(forHTTPHeaderField: field).map { [$0] } ?? []
    }
}

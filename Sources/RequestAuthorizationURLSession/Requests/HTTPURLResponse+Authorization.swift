// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A response of `URLSession` says whether it is a 401, and what would be accepted.
extension HTTPURLResponse: AuthorizableResponse {
    /// The value of a header field, names compared without case; empty if there is none.
    ///
    /// There is at most one element: `URLSession` joins the lines of a repeated field by commas. On Linux it does so only with
    /// lines whose names are spelt alike, and may lose the others.
    public func headerValues(for field: String) -> [String] {
        value(forHTTPHeaderField: field).map { [$0] } ?? []
    }
}

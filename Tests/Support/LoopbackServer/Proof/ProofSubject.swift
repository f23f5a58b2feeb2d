// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
/// The parts of a request that a proof of possession covers.
package struct ProofSubject: Sendable {
    package let method: String
    /// The URL without query and fragment (RFC 9449 §4.2, `htu`).
    package let target: String
    /// The values of `Authorization`.
    package let authorization: [String]
    /// The values of `DPoP`.
    package let proofs: [String]

    /// - Parameter url: the absolute URL.
    package init(method: String, url: String, fields: [(name: String, value: String)]) {
        self.method = method
        target = String(url.prefix { $0 != "?" && $0 != "#" })
        authorization = fields.filter { $0.name.lowercased() == "authorization" }.map(\.value)
        proofs = fields.filter { $0.name.lowercased() == "dpop" }.map(\.value)
    }

    /// - Parameter scheme: the scheme of the URL, which is not part of the request.
    package init(_ request: RawRequest, scheme: String = "http") {
        self.init(
            method: request.method, url: "\(scheme)://\(request["Host"] ?? "")\(request.target)",
            fields: ["Authorization", "DPoP"].flatMap { name in request.values(of: name).map { (name, $0) } })
    }
}
#endif

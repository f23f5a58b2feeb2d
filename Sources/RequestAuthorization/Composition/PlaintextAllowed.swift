// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request to a plain `http` origin that was explicitly allowed. Otherwise it behaves like the wrapped request.
struct PlaintextAllowed<Request: AuthorizableRequest>: AuthorizableRequest {
    var request: Request

    var isPlaintext: Bool { false }

    var origin: Origin? { request.origin }
    func goes(to origin: Origin) -> Bool { request.goes(to: origin) }
    var isReplayable: Bool { request.isReplayable }
    var requestMethod: String? { request.requestMethod }
    var targetURI: String? { request.targetURI }
    var bodyBytes: [UInt8]? { request.bodyBytes }

    func credential(in field: String) -> String? { request.credential(in: field) }
    mutating func setCredential(_ value: String, in field: String) { request.setCredential(value, in: field) }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request as a provider shows it to another one. What the view does not say itself, the request says.
protocol RequestView: AuthorizableRequest {
    associatedtype Request: AuthorizableRequest
    var request: Request { get set }
    /// Whether its credential is only compared with the last one. It gets no proof then.
    var isForComparison: Bool { get }
}

extension RequestView {
    var isForComparison: Bool { (request as? any RequestView)?.isForComparison ?? false }

    var origin: Origin? { request.origin }
    func goes(to origin: Origin) -> Bool { request.goes(to: origin) }
    var isReplayable: Bool { request.isReplayable }
    var isPlaintext: Bool { request.isPlaintext }
    var requestMethod: String? { request.requestMethod }
    var targetURI: String? { request.targetURI }
    var bodyBytes: [UInt8]? { request.bodyBytes }

    func credential(in field: String) -> String? { request.credential(in: field) }
    mutating func setCredential(_ value: String, in field: String) { request.setCredential(value, in: field) }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What a request of any HTTP client needs in order to be authorized.
///
/// `URLRequest`, `HTTPRequest` and `HTTPClientRequest` conform in the modules named after their clients. A request of
/// your own needs four members:
///
///     extension WidgetRequest: AuthorizableRequest {
///         var origin: Origin? { Origin(host: host) }
///         var isReplayable: Bool { true }
///         func credential(in field: String) -> String? { fields[field] }
///         mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
///     }
public protocol AuthorizableRequest: Sendable {
    /// The scheme, host and port of the request; `nil` if they cannot be known. Computed on each access.
    var origin: Origin? { get }

    /// Whether ``origin`` equals another origin. Implement it if the client can tell without creating an ``Origin``.
    func goes(to origin: Origin) -> Bool

    /// Whether the request can be sent again, body included.
    ///
    /// If the client passes the body beside the request, say so in the call of
    /// ``AuthorizationProvider/send(_:refreshCount:isReplayable:transport:)``.
    var isReplayable: Bool { get }

    /// The value of a header field; `nil` if there is none. Names are compared without case.
    func credential(in field: String) -> String?

    /// Sets a header field to one value and replaces any former values. Names are compared without case. Copies of the
    /// request stay as they are.
    ///
    /// - Parameters:
    ///   - value: at least one character: visible ASCII with inner spaces and tabs. A ``Credential`` holds no other.
    ///   - field: the name of the field, for instance `Authorization`.
    mutating func setCredential(_ value: String, in field: String)

    /// Whether the request would be readable on the network. Then it gets no credential.
    ///
    /// By default ``origin`` decides, and loopback is allowed. A request without origin counts as readable. Implement
    /// it if the client knows better, or faster.
    var isPlaintext: Bool { get }

    /// The method, for schemes that sign it (RFC 9449 `htm`); `nil` by default.
    ///
    /// Declare it as `String?`: a property of type `String` is another one. `AuthorizableRequestChecks` reports that.
    var requestMethod: String? { get }

    /// The target URI without its fragment, for schemes that sign it (RFC 9449 `htu`); `nil` by default.
    var targetURI: String? { get }

    /// The body, for schemes that sign it: empty if there is none; `nil`, the default, if it is not known.
    ///
    /// A body is known if it is in memory and belongs to the request. It is not known if it is a stream or a file, or
    /// if the client passes it beside the request. Each access may copy the whole body, so providers read it only to
    /// sign it. They refuse to sign an unknown body.
    ///
    /// Declare it as `[UInt8]?`: a property of type `[UInt8]` is another one. `AuthorizableRequestChecks` reports that.
    var bodyBytes: [UInt8]? { get }
}

extension AuthorizableRequest {
    public func goes(to origin: Origin) -> Bool { self.origin == origin }
    public var isPlaintext: Bool { origin.map { $0.isPlaintext && !$0.isLoopback } ?? true }
    public var requestMethod: String? { nil }
    public var targetURI: String? { nil }
    public var bodyBytes: [UInt8]? { nil }
}

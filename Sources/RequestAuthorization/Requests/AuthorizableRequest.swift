// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The least that a request of any HTTP client must offer to be authorized.
///
/// `URLRequest`, `HTTPRequest` and `HTTPClientRequest` conform in the modules that are named after their clients. A request
/// of your own needs four members:
///
///     extension WidgetRequest: AuthorizableRequest {
///         var origin: Origin? { Origin(host: host) }
///         var isReplayable: Bool { true }
///         func credential(in field: String) -> String? { fields[field] }
///         mutating func setCredential(_ value: String, in field: String) { fields[field] = value }
///     }
public protocol AuthorizableRequest: Sendable {
    /// Where the request goes: scheme, host and port; `nil` if that cannot be known. Computed when asked for.
    var origin: Origin? { get }

    /// Whether ``origin`` is this one, which is the default. A client that can tell without making an ``Origin`` says so here.
    func goes(to origin: Origin) -> Bool

    /// Whether the request can be sent a second time, body included.
    ///
    /// A client that carries the body beside the request says so where it calls ``AuthorizationProvider/send(_:refreshCount:isReplayable:transport:)``.
    var isReplayable: Bool { get }

    /// The value of a header field, names compared without case; `nil` if there is none.
    func credential(in field: String) -> String?

    /// Sets a header field to one value, in place of any that was there, names compared without case.
    ///
    /// - Parameters:
    ///   - value: checked by our providers: visible ASCII with inner spaces and tabs, at least one character.
    ///   - field: the name of the field, for instance `Authorization`.
    mutating func setCredential(_ value: String, in field: String)

    /// Whether the request would be readable on the wire; our providers refuse it then.
    ///
    /// Defaults to what ``origin`` says, loopback excepted. A request without origin counts as readable: a client that knows
    /// better, or faster, says so here.
    var isPlaintext: Bool { get }

    /// The method, for schemes that sign it (RFC 9449 `htm`); `nil` by default.
    ///
    /// Write `String?`: a property of type `String` is another one, and is not asked. `AuthorizableRequestChecks` finds that.
    var requestMethod: String? { get }

    /// The target URI without its fragment, for schemes that sign it (RFC 9449 `htu`); `nil` by default.
    var targetURI: String? { get }

    /// The body, for schemes that sign it: empty if there is none, `nil` if it is not known, which is the default.
    ///
    /// A body is known if it is in memory and belongs to the request. A stream, a file and what a client carries beside the
    /// request are not. Each use may copy the whole body: providers ask for it only if they sign it, and refuse to sign what
    /// they do not know.
    ///
    /// Write `[UInt8]?`: a property of type `[UInt8]` is another one, and is not asked. `AuthorizableRequestChecks` finds that.
    var bodyBytes: [UInt8]? { get }
}

extension AuthorizableRequest {
    public func goes(to origin: Origin) -> Bool { self.origin == origin }
    public var isPlaintext: Bool { origin.map { $0.isPlaintext && !$0.isLoopback } ?? true }
    public var requestMethod: String? { nil }
    public var targetURI: String? { nil }
    public var bodyBytes: [UInt8]? { nil }

    /// Puts a credential of the provider on this request, waiting for one if need be.
    ///
    ///     try await request.authorize(using: .bearer("ABC"))
    ///
    /// On a stored property or a top-level `var` write `request = try await request.authorized(using: provider)`.
    ///
    /// - Throws: what ``AuthorizationProvider/authorize(_:)`` throws, and ``NotAuthorized`` with the reason
    ///   ``NotAuthorized/Reason/malformedCredential`` if the provider has set what no header can hold; the request is unchanged
    ///   then.
    public mutating func authorize(using provider: some AuthorizationProvider) async throws {
        self = try await provider.authorizeChecked(self)
    }

    /// Returns this request with a credential of the provider, waiting for one if need be.
    ///
    /// - Throws: what ``authorize(using:)`` throws.
    public func authorized(using provider: some AuthorizationProvider) async throws -> Self {
        try await provider.authorizeChecked(self)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Authorizes a request of `URLSession`: `try await request.authorize(using: .bearer("ABC"))`.
extension URLRequest: AuthorizableRequest {
    public var origin: Origin? { url.flatMap { Origin($0) } }

    public func goes(to origin: Origin) -> Bool {
        // Reading the bytes takes a twentieth of the time that reading the parts of a `URL` takes.
        if let url, let isOrigin = origin.isOrigin(ofURL: url.absoluteString) { return isOrigin }
        return self.origin == origin
    }

    /// Whether the body can be sent again: false for a stream, which can be read only once.
    public var isReplayable: Bool { httpBodyStream == nil }

    public func credential(in field: String) -> String? {
        guard let fields = allHTTPHeaderFields else { return nil }
        return fields[field] ?? fields.first { $0.key.isSameField(as: field) }?.value
    }

    /// Sets a header field to one value and removes its old value. Names are compared without case.
    ///
    /// A value that would end its header line early (CR, LF, NUL) is not set, and the old value is removed. No
    /// `Credential` has such a value.
    public mutating func setCredential(_ value: String, in field: String) {
        let isUsual = field == "Authorization"  // The common case needs no check of the name.
        guard isUsual || field.fitsInHeaderLine, value.fitsInHeaderLine else {
            return removeFields { $0.isSameField(as: field) }
        }
        // The whole dictionary is replaced because `setValue(_:forHTTPHeaderField:)` takes twice as long, and longer
        // with each character of the value.
        guard var fields = allHTTPHeaderFields, !fields.isEmpty else {
            // Copying a dictionary whose key is already hashed takes 80 ns less than making a new one.
            allHTTPHeaderFields = isUsual ? Self.lone.mapValues { _ in value } : [field: value]
            return
        }
        for name in fields.keys where name.isSameField(as: field) { fields[name] = nil }
        fields[field] = value
        allHTTPHeaderFields = fields
    }

    /// Whether others on the network could read the request.
    ///
    /// True for `http` and `ws`, except to loopback, and for a request without an origin.
    public var isPlaintext: Bool {
        if let url = url?.absoluteString, url.isEncryptedURL || url.namesLoopback { return false }
        return origin.map { $0.isPlaintext && !$0.isLoopback } ?? true
    }

    public var requestMethod: String? { httpMethod ?? "GET" }

    public var targetURI: String? { url?.absoluteString.withoutFragment }

    /// A copy of `httpBody`, empty if there is none; `nil` for a stream.
    ///
    /// In `upload(for:from:authorizedBy:)` providers see the data here, in `upload(for:fromFile:authorizedBy:)` `nil`.
    public var bodyBytes: [UInt8]? { httpBodyStream == nil ? httpBody.map { Array($0) } ?? [] : nil }

    /// The dictionary that `setCredential(_:in:)` copies for a request without fields.
    private static let lone = ["Authorization": ""]

    mutating func removeFields(where isPicked: (String) -> Bool) {
        guard let fields = allHTTPHeaderFields, fields.keys.contains(where: isPicked) else { return }
        allHTTPHeaderFields = fields.filter { !isPicked($0.key) }
    }
}

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

extension String {
    /// Whether it contains no CR, LF or NUL, which would end a header line early (RFC 9110 §5.5).
    var fitsInHeaderLine: Bool {
        let endsLine: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D || $0 == 0x00 }
        return HeaderFieldValue.isSurelyVisible(self) || !utf8.contains(where: endsLine)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// A request of `URLSession` takes a credential: `try await request.authorize(using: .bearer("ABC"))`.
extension URLRequest: AuthorizableRequest {
    public var origin: Origin? { url.flatMap { Origin($0) } }

    public func goes(to origin: Origin) -> Bool {
        // Read from the bytes, which takes a twentieth of what the parts of a `URL` take.
        if let url, let isOrigin = origin.isOrigin(ofURL: url.absoluteString) { return isOrigin }
        return self.origin == origin
    }

    /// Whether the body can be sent again: a stream can be read only once.
    public var isReplayable: Bool { httpBodyStream == nil }

    public func credential(in field: String) -> String? {
        guard let fields = allHTTPHeaderFields else { return nil }
        return fields[field] ?? fields.first { $0.key.isSameField(as: field) }?.value
    }

    /// Sets a header field to one value, in place of any that was there, names compared without case.
    ///
    /// A value that would break out of its line (CR, LF, NUL) is not set, and neither does an older one stay:
    /// `authorize(using:)` and `send` throw then.
    public mutating func setCredential(_ value: String, in field: String) {
        CredentialFields.current?.insert(field)
        let isUsual = field == "Authorization"  // As a rule; it needs no look at its name.
        guard isUsual || field.fitsInHeaderLine, value.fitsInHeaderLine else {
            CredentialFields.current?.refuse()
            return removeFields { $0.isSameField(as: field) }
        }
        // The whole dictionary is replaced because `setValue(_:forHTTPHeaderField:)` costs twice as much, and more
        // with every character of the value.
        guard var fields = allHTTPHeaderFields, !fields.isEmpty else {
            // A dictionary whose name is hashed already takes 80 ns less than one that is made from nothing.
            allHTTPHeaderFields = isUsual ? Self.lone.mapValues { _ in value } : [field: value]
            return
        }
        for name in fields.keys where name.isSameField(as: field) { fields[name] = nil }
        fields[field] = value
        allHTTPHeaderFields = fields
    }

    /// Whether the request would be readable on the wire: anything but `https` and `wss`, and not to this machine.
    public var isPlaintext: Bool {
        if let url, url.isEncrypted || url.absoluteString.namesLoopback { return false }
        return origin.map { $0.isPlaintext && !$0.isLoopback } ?? true
    }

    public var requestMethod: String? { httpMethod ?? "GET" }

    public var targetURI: String? {
        CredentialFields.current?.noteTarget()
        return url?.absoluteString.withoutFragment
    }

    /// A copy of `httpBody`, empty if there is none; `nil` for a stream.
    ///
    /// `upload(for:from:authorizedBy:)` shows providers its data here, `upload(for:fromFile:authorizedBy:)` shows `nil`.
    public var bodyBytes: [UInt8]? { httpBodyStream == nil ? httpBody.map { Array($0) } ?? [] : nil }

    /// What `setCredential(_:in:)` fills in.
    private static let lone = ["Authorization": ""]

    /// Removes the header fields whose names are picked.
    mutating func removeFields(where isPicked: (String) -> Bool) {
        guard let fields = allHTTPHeaderFields, fields.keys.contains(where: isPicked) else { return }
        allHTTPHeaderFields = fields.filter { !isPicked($0.key) }
    }
}

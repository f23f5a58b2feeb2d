// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A request to the server. It supports the part of HTTP/1.1 that the workers use.
struct LoopbackRequest: Sendable {
    let path: String
    let fields: [String: String]
    let form: [String: String]

    /// Removes a complete request from a buffer.
    ///
    /// - Returns: `nil` if the request has not arrived completely.
    init?(from buffer: inout [UInt8]) {
        guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        guard buffer.count >= end.upperBound + length else { return nil }
        let body = String(decoding: buffer[end.upperBound..<end.upperBound + length], as: UTF8.self)
        buffer.removeFirst(end.upperBound + length)
        self.fields = fields
        path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        form = body.split(separator: "&").reduce(into: [:]) { form, pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { form[String(parts[0])] = String(parts[1]) }
        }
    }

    /// The process that sent it.
    var process: ProcessName? { fields["user-agent"].flatMap { ProcessName($0) } }
    /// How long its sender waited for a token.
    var held: Double? { fields["held"].flatMap { Double($0) } }
    /// Each wait of its sender for exclusive access.
    var lockWaits: [Double]? { fields["lock-waits"].map { $0.split(separator: ",").compactMap { Double($0) } } }
    /// The number of the request in its process.
    var number: Int? { fields["request"].flatMap { Int($0) } }
    var accessToken: String? { fields["authorization"].map { String($0.dropFirst("Bearer ".count)) } }
}

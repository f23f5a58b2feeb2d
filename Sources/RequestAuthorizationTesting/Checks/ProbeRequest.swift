// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A request that records which fields were set.
struct ProbeRequest: AuthorizableRequest {
    let number: Int
    let origin: Origin?
    private(set) var fields: [(name: String, value: String)]
    /// The fields that a provider has set, with names in lower case.
    private(set) var credentials: [String: String] = [:]

    var isReplayable: Bool { true }
    var requestMethod: String? { "GET" }
    var targetURI: String? { origin.map { "\($0)/probe?number=\(number)" } }
    var bodyBytes: [UInt8]? { [] }

    init(number: Int = 0, to origin: Origin) {
        (self.number, self.origin) = (number, origin)
        fields = [("Accept", "text/plain"), ("User-Agent", "probe/1"), ("X-Probe", "\(number)")]
    }

    func credential(in field: String) -> String? {
        let field = field.lowercased()
        return credentials[field] ?? fields.first { $0.name.lowercased() == field }?.value
    }

    mutating func setCredential(_ value: String, in field: String) { credentials[field.lowercased()] = value }

    /// Checks this authorized form of a request.
    func checkAuthorized(from original: ProbeRequest) throws(CheckProblem) {
        try require(number == original.number, "returned another request than it was given")
        try require(!credentials.isEmpty, "set no header field")
        for (name, _) in fields where credentials[name.lowercased()] != nil {
            throw CheckProblem("set the field \(name), which is not a credential")
        }
        for (name, value) in credentials { try requireFieldValue(value, " in the field \(name)") }
    }
}

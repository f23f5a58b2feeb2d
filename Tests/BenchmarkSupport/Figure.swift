// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// One figure that is held to a bound; all are ratios or counts within one run, so that any machine can judge them.
package struct Figure: Sendable, Encodable {
    package let name: String
    package let value: Double
    package let bound: Double
    /// What the figure was made from, for people.
    package let detail: String

    package init(name: String, value: Double, bound: Double, detail: String) {
        self.name = name
        self.value = value
        self.bound = bound
        self.detail = detail
    }

    package var isMet: Bool { value <= bound }

    private enum CodingKeys: CodingKey { case name, value, bound, isMet, detail }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encode(bound, forKey: .bound)
        try container.encode(isMet, forKey: .isMet)
        try container.encode(detail, forKey: .detail)
    }
}

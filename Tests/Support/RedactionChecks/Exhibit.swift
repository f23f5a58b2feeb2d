// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A value of a public type, with the secret in every place that can hold it.
package struct Exhibit {
    /// The declared name, for instance `TokenStoreError.Kind`.
    package let type: String
    package let value: Any

    package init(_ type: String, _ value: Any) { (self.type, self.value) = (type, value) }

    /// The channels that show the secret. Must be empty.
    package var leaks: [String] {
        Channel.allCases.filter { Secret.isPart(of: $0.text(of: value)) }.map { "\(type): \($0)" }
    }
}

/// The one secret that all exhibits hold.
package enum Secret {
    package static let text = "S3CRETmarker"

    /// Whether the text shows the secret, also in Base64 as in Basic authentication.
    package static func isPart(of text: String) -> Bool {
        if text.contains(Self.text) { return true }
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0))) }
        return words.contains { word in
            Data(base64Encoded: String(word)).map { String(decoding: $0, as: UTF8.self).contains(Self.text) } ?? false
        }
    }
}

/// A way in which a value gets into a log, an alert or a debugger.
package enum Channel: String, CaseIterable, Sendable {
    case description, debugDescription, interpolation, inACollection, reflecting, dump, mirror, localizedDescription

    /// The text of the value in this channel.
    package func text(of value: Any) -> String {
        switch self {
        case .description: String(describing: value)
        case .debugDescription: (value as? any CustomDebugStringConvertible)?.debugDescription ?? ""
        case .interpolation: "\(value)"
        case .inACollection: "\([value]) \(["key": value]) \(Optional(value) as Any)"
        case .reflecting: String(reflecting: value)
        case .dump: Self.dumped(value)
        case .mirror: Self.reflected(Mirror(reflecting: value), depth: 0)
        case .localizedDescription: (value as? any Error).map { "\($0.localizedDescription) \($0 as NSError)" } ?? ""
        }
    }

    private static func dumped(_ value: Any) -> String {
        var text = ""
        Swift.dump(value, to: &text)
        return text
    }

    /// The text of the whole tree of mirrors.
    private static func reflected(_ mirror: Mirror, depth: Int) -> String {
        guard depth < 12 else { return "" }
        var text = mirror.superclassMirror.map { reflected($0, depth: depth + 1) } ?? ""
        for (label, child) in mirror.children {
            text += "\(label ?? "-") \(String(reflecting: child)) "
            text += reflected(Mirror(reflecting: child), depth: depth + 1)
        }
        return text
    }
}

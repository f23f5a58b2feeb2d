// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The first bytes of an envelope in every version, to recognize one also without cryptography.
package enum EnvelopeFormat {
    package static let magic = Array("RASE".utf8)

    package static func isEnvelope(_ item: Data) -> Bool { item.starts(with: magic) }
}

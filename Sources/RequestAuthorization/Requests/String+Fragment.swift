// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension String {
    /// The URI without its fragment, which is not sent to the server (RFC 9110 §7.1).
    package var withoutFragment: String {
        guard let fragment = utf8.firstIndex(of: UInt8(ascii: "#")) else { return self }
        return String(self[..<fragment])
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// What the operating system refused, and why.
public struct SystemError: Error, CustomStringConvertible {
    public let description: String
    let code: Int32

    /// - Parameter call: what was tried; the reason is the thread's `errno`.
    init(_ call: String, code: Int32 = errno) {
        self.code = code
        description = "\(call): \(String(cString: strerror(code)))"
    }
}

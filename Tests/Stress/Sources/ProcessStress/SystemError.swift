// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A system call that failed, and its reason.
public struct SystemError: Error, CustomStringConvertible {
    public let description: String
    let code: Int32

    /// - Parameter call: what was tried. The reason is the thread's `errno`.
    init(_ call: String, code: Int32 = errno) {
        self.code = code
        description = "\(call): \(String(cString: strerror(code)))"
    }
}

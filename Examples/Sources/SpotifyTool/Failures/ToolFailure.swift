// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// The failure of a command: the exit status, what happened, and what to do.
public struct ToolFailure: Error, Hashable, Sendable {
    public let status: ExitStatus
    /// Empty if the result has said it already.
    public let message: String
    public let advice: String?

    init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
        (self.status, self.message, self.advice) = (status, message, advice)
    }

    /// A failure that the result has reported already.
    static func silent(_ status: ExitStatus) -> ToolFailure { ToolFailure(status, "") }

    func adding(_ more: String) -> ToolFailure {
        ToolFailure(status, message, advice: [advice, more].compactMap(\.self).joined(separator: " "))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

extension AuthenticationChallenge {
    /// Reads the challenges of `WWW-Authenticate` lines.
    public static func parse(_ lines: [String]) -> [AuthenticationChallenge] { [] }
}

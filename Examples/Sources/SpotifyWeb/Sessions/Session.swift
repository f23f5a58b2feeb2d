// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A browser that is logged in.
struct Session<Account: Sendable>: Sendable {
    /// The id of the browser, which only the browser's cookie holds.
    let id: SessionSecret
    /// Part of each form, so that forms of other sites are refused (CSRF).
    let formToken: SessionSecret
    /// The account of the session. Its tokens never leave the server.
    let account: Account
}

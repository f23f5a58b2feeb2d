// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A browser that is logged in.
struct Session<Account: Sendable>: Sendable {
    /// Known to the browser alone, in a cookie.
    let id: SessionSecret
    /// Stands in each form, so that a form of another site is not taken for ours (CSRF).
    let formToken: SessionSecret
    /// Whose session it is. The tokens never leave the server.
    let account: Account
}

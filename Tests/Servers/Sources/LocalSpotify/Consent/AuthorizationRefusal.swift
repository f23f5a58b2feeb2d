// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Why an authorization request is refused without a question to the user.
enum AuthorizationRefusal: Error {
    /// Shown to the user, who is not redirected.
    case page(String)
    /// Sent to the app by a redirect.
    case redirect(Callback)
}

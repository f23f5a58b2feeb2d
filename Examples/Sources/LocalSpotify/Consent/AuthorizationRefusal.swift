// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Why there is nothing that the user could be asked.
enum AuthorizationRefusal: Error {
    /// Shown to the user, who is sent nowhere.
    case page(String)
    /// Told to the app.
    case redirect(Callback)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import RequestAuthorizationSpotify

extension Tool {
    /// `spotify login --device`: shows a code to enter on any device, and waits until the user has done so.
    ///
    /// - Parameter scopes: the scopes to ask for.
    public func loginWithDevice(scopes: Set<String>) async throws {
        try await run {
            try await checkThatLocalServiceAnswers()
            try await authorization.signIn { [service, output] in
                let signIn = try await service.deviceSignIn(scopes: Set(scopes.map { SpotifyScope(rawValue: $0) }))
                output.note("On any device, open")
                output.note(.bold(signIn.verificationURI.absoluteString))
                // RFC 8628 §5.4: an attacker may have sent the code, so that the user signs the attacker in.
                output.note("and enter this code, if it was you who began this: ", .bold(signIn.userCode))
                return try await signIn.token()
            }
            try await showNewToken()
        }
    }
}

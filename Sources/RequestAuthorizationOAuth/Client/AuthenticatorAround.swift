// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An authenticator that adds to what another one sends for the client.
protocol AuthenticatorAround: ClientAuthenticator {
    var base: any ClientAuthenticator { get }
}

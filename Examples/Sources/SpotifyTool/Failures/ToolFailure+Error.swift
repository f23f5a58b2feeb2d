// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorizationSpotify
import RequestAuthorizationURLSession
import SpotifyWebAPI

extension ToolFailure {
    /// Explains an error to the user at the terminal.
    ///
    /// It quotes only errors whose texts have no secrets. For other errors it shows the type.
    init(_ error: any Error, of settings: ToolSettings) {
        self =
            switch error {
            case let error as ToolFailure: error
            case let error as SignInError: Self.signIn(error, settings)
            case let error as LoopbackReceiverError: .init(.notSignedIn, "\(error)", advice: settings.command("login"))
            case let error as NotAuthorized: Self.notAuthorized(error, settings)
            case let error as MissingScopes:
                .init(.notSignedIn, "\(error)", advice: Self.advice(toAllow: error.scopes, settings))
            case let error as RefreshFailed: ToolFailure(error.underlying, of: settings)
            case let error as NotSettled: Self.notSettled(error, settings)
            case let error as SpotifyError: Self.refusal(error, settings)
            case let error as TokenEndpointError: Self.tokenEndpoint(error, settings)
            case let error as TokenTransportError: Self.unreachable("\(error.code)", settings)
            case let error as URLError: Self.unreachable(Self.words(for: error), settings)
            case is UnreadableAnswer, is InvalidTokenResponse: .init(.unusableAnswer, "\(error)")
            case let error as TokenStoreError: .init(.store, "\(error)")
            case let error as DeadlineExceeded: .init(.tryLater, "\(error)")
            default: .init(.refused, "unexpected error of the type \(type(of: error))")
            }
    }

    // MARK: -

    private static func signIn(_ error: SignInError, _ settings: ToolSettings) -> ToolFailure {
        if error.accessWasDenied {
            return .init(
                .notSignedIn, "access was denied on the page of \(settings.serviceName)",
                advice: "To sign in after all: \(settings.command("login"))")
        }
        return .init(.notSignedIn, "\(error)", advice: settings.command("login"))
    }

    private static func notAuthorized(_ error: NotAuthorized, _ settings: ToolSettings) -> ToolFailure {
        if let cause = error.underlying as? TokenEndpointError, let failure = wrongClient(cause, settings) {
            return failure
        }
        guard error.needsSignIn else { return .init(.refused, "\(error)") }
        let message =
            switch error.reason {
            case .rejected: "the sign-in to \(settings.serviceName) has ended"
            case .needsInteraction: "\(settings.serviceName) requires a new sign-in"
            default: "not signed in to \(settings.serviceName)\(settings.asAccount)"
            }
        return .init(.notSignedIn, message, advice: "Sign in: \(settings.command("login"))")
    }

    /// The command succeeded, but the next one may not find the token.
    private static func notSettled(_ error: NotSettled, _ settings: ToolSettings) -> ToolFailure {
        error.isUnstored
            ? .init(.store, "the token could not be saved", advice: "Check whether the disk is full.")
            : unreachable("a refresh was not answered in time", settings)
    }

    private static func refusal(_ error: SpotifyError, _ settings: ToolSettings) -> ToolFailure {
        switch error.status {
        case 401: .init(.notSignedIn, "\(error)", advice: settings.command("login"))
        case 429: .init(.tryLater, "\(error)")
        case 500...: .init(.unavailable, "\(error)")
        default: .init(.refused, "\(error)")
        }
    }

    private static func tokenEndpoint(_ error: TokenEndpointError, _ settings: ToolSettings) -> ToolFailure {
        if let failure = wrongClient(error, settings) { return failure }
        return error.kind == .transient
            ? .init(.tryLater, "\(error)") : .init(.notSignedIn, "\(error)", advice: settings.command("login"))
    }

    /// The server refuses the client or its request. A sign-in does not help before the configuration is corrected.
    private static func wrongClient(_ error: TokenEndpointError, _ settings: ToolSettings) -> ToolFailure? {
        guard error.kind == .client else { return nil }
        return .init(
            .configuration, "\(error)", advice: "Check CLIENT_ID and CLIENT_SECRET, then: \(settings.command("login"))")
    }

    private static func unreachable(_ reason: String, _ settings: ToolSettings) -> ToolFailure {
        .init(
            .unavailable, "\(settings.serviceName) cannot be reached: \(reason)",
            advice: settings.local != nil
                ? "Start it in another terminal: spotify serve" : "Check the network and try again.")
    }

    /// Asks for all scopes, because they are not added to those of an earlier sign-in.
    private static func advice(toAllow scopes: Set<String>, _ settings: ToolSettings) -> String {
        "Sign in for all that the commands need: \(settings.command("login"))"
    }

    /// The error's own text may have the address, so it is not used.
    private static func words(for error: URLError) -> String {
        switch error.code {
        case .timedOut: "timed out"
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed: "unreachable"
        case .notConnectedToInternet: "no network"
        case .networkConnectionLost: "connection lost"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate: "insecure"
        default: "URLSession's error \(error.code.rawValue)"
        }
    }
}

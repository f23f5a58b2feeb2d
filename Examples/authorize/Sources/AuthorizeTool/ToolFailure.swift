// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import NIOPosix
import RequestAuthorizationAsyncHTTPClient
import RequestAuthorizationOAuth
import RequestAuthorizationStorage

/// The exit codes of the tool, those of sysexits.h where it has one.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0, refused = 1, usage = 64, unusableAnswer = 65, unavailable = 69, store = 74, tryLater = 75
    case notSignedIn = 77, configuration = 78

    /// The text of the help.
    public var meaning: String {
        switch self {
        case .success: "it is done"
        case .refused: "a server refused it"
        case .usage: "the command line, or the text on standard input, is wrong"
        case .unusableAnswer: "a server's answer or metadata cannot be used"
        case .unavailable: "a server cannot be reached"
        case .store: "the session cannot be read or saved, or the result cannot be written"
        case .tryLater: "try again later: a server or another process is busy, or the sign-in was stopped"
        case .notSignedIn: "a person is needed: run `authorize login URL`"
        case .configuration: "a client, a key file or KUBERNETES_EXEC_INFO is missing or wrong"
        }
    }
}

/// The failure of a command: the exit status, what happened, and what to do.
public struct ToolFailure: Error, Hashable, Sendable {
    public let status: ExitStatus
    public let message: String
    public let advice: String?

    init(_ status: ExitStatus, _ message: String, advice: String? = nil) {
        (self.status, self.message, self.advice) = (status, message, advice)
    }

    /// Explains an error to the user at the terminal. Only errors whose texts have no secrets are quoted.
    ///
    /// - Parameter login: the command that signs in.
    init(_ error: any Error, login: String) {
        self =
            switch error {
            case let error as ToolFailure: error
            case let error as NotAuthorized where error.needsSignIn:
                .init(.notSignedIn, Self.text(of: error), advice: login)
            case let error as NotAuthorized where error.reason == .clientRefused: .init(.configuration, "\(error)")
            case let error as NotAuthorized: .init(.refused, "\(error)")
            case let error as RefreshFailed: ToolFailure(error.underlying, login: login)
            case is LoopbackReceiverError: .init(.refused, "\(error)", advice: "\(login) --paste")
            case let error as ProtectedResourceError where error.problem == .unavailable: .init(.tryLater, "\(error)")
            case let error as ProtectedResourceError where error.problem == .noMetadata:
                .init(
                    .unusableAnswer, "the resource does not say who guards it",
                    advice: "Check the URL, or name its server: --issuer URL --client ID")
            case let error as ProtectedResourceError where Self.clientProblems.contains(error.problem):
                .init(.configuration, "\(error)", advice: "Pass --client ID --issuer URL, or --client-document URL.")
            case is ProtectedResourceError, is InvalidTokenResponse: .init(.unusableAnswer, "\(error)")
            case let error as AuthorizationServerError:
                .init(error.problem == .unavailable ? .tryLater : .unusableAnswer, "\(error)")
            case let error as TokenEndpointError where error.kind == .transient: .init(.tryLater, "\(error)")
            case let error as TokenEndpointError where error.kind == .client:
                .init(.configuration, "\(error)", advice: login)
            case is SignInError, is TokenEndpointError: .init(.notSignedIn, "\(error)", advice: login)
            case let error as TokenTransportError:
                .init(error.code == .responseTooLong ? .unusableAnswer : .unavailable, "\(error)")
            case let error as HTTPClientError:
                .init(.unavailable, "the server cannot be reached: \(error.shortDescription)")
            // A connection to an address, and one to a name.
            case is IOError, is NIOConnectionError: .init(.unavailable, "the server cannot be reached")
            // The types of NIOSSL and of Apple's platforms. Their texts are for programmers.
            case _ where "\(type(of: error))".contains(/SSL|TLS/):
                .init(
                    .unavailable,
                    "there is no secure connection to the server: check its certificate and its versions "
                        + "of TLS, and the CA certificates and the clock of this machine")
            case is NIOTooManyBytesError: .tooLong
            case let error as TokenStoreError where [.unreadable, .wrongKey].contains(error.kind):
                .init(
                    .store, "\(error)",
                    advice: "Pass the file of the session's key: --key-from FILE; or leave it out if there was none. "
                        + "For another key, or if it is lost, remove the files authorize[,%]* in "
                        + "\(TokenFolder.default), and sign in again.")
            case let error as TokenStoreError: .init(error.kind == .timedOut ? .tryLater : .store, "\(error)")
            case let error as NotSettled where error.isUnstored:
                .init(
                    .store, "the session, or its end, could not be saved",
                    advice: (error.storeError as? TokenStoreError).map { "\($0)" } ?? Self.unsaved.advice)
            case is NotSettled, is DeadlineExceeded: .init(.tryLater, "\(error)")
            default: .init(.refused, "unexpected error of the type \(type(of: error))")
            }
    }

    static let tooLong = ToolFailure(.unusableAnswer, "the server's answer is too long")
    static let unsaved = ToolFailure(
        .store, "the session could not be saved", advice: "Check whether the disk is full.")

    // MARK: -

    private static let clientProblems: Set<ProtectedResourceError.Problem> = [
        .noClient, .registrationRefused, .invalidDocument,
    ]

    private static func text(of error: NotAuthorized) -> String {
        if let detail = error.detail { return detail }
        return switch error.reason {
        case .rejected: "the server has ended the session"
        case .needsInteraction: "the server asks for a new sign-in"
        default: "not signed in"
        }
    }
}

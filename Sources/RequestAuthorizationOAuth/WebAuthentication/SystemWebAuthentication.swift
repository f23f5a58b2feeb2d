// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
import Foundation

// Not compiled on Linux, where CI checks its types against declarations of these calls: nothing but the calls. What they mean is
// decided in `WebAuthenticationReceiver`.

extension CallbackReceiver where Self == WebAuthenticationReceiver {
    /// Shows the server's page in the system's sheet.
    ///
    /// - Parameters:
    ///   - redirectURI: of a scheme of the app, or `https` where the app is associated with the domain.
    ///   - isEphemeral: whether the page knows nothing of earlier visits, so that the person has to sign in there each time.
    ///   - anchor: the window that the sheet belongs to.
    public static func webAuthentication(
        redirectURI: String, isEphemeral: Bool = false,
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) -> WebAuthenticationReceiver {
        WebAuthenticationReceiver(
            redirectURI: redirectURI, isEphemeral: isEphemeral, sessions: SystemWebAuthentication(anchor: anchor))
    }
}

/// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
struct SystemWebAuthentication: WebAuthenticationSessions {
    let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    func begin(
        _ page: URL, awaiting callback: WebAuthenticationCallback, isEphemeral: Bool,
        end: @escaping @Sendable (WebAuthenticationEnd) -> Void
    ) async -> (@Sendable () async -> Void)? {
        let sheet = await Sheet(page, awaiting: callback, anchor: anchor, end: end)
        guard await sheet.start(isEphemeral: isEphemeral) else { return nil }
        return { await sheet.cancel() }
    }
}

/// One session, and the window that it belongs to; the session does not keep what it asks for the window.
@MainActor private final class Sheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private let session: ASWebAuthenticationSession

    init(
        _ page: URL, awaiting callback: WebAuthenticationCallback,
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor,
        end: @escaping @Sendable (WebAuthenticationEnd) -> Void
    ) {
        self.anchor = anchor
        session = ASWebAuthenticationSession(url: page, callback: callback.systemCallback) { @Sendable url, error in
            end(WebAuthenticationEnd(url, error))
        }
        super.init()
    }

    func start(isEphemeral: Bool) -> Bool {
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = isEphemeral
        return session.start()
    }

    func cancel() { session.cancel() }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }
}

extension WebAuthenticationCallback {
    fileprivate var systemCallback: ASWebAuthenticationSession.Callback {
        switch self {
        case .scheme(let scheme): .customScheme(scheme)
        case .https(let host, let path): .https(host: host, path: path)
        }
    }
}

extension WebAuthenticationEnd {
    fileprivate init(_ url: URL?, _ error: (any Error)?) {
        if let url {
            self = .callback(url)
        } else if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
            self = .cancelled
        } else {
            self = .failed
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
public import AuthenticationServices
import Foundation

// Not compiled on Linux, where CI only checks its types against declarations of the system's functions. So it
// contains only calls of the system. All decisions are in `WebAuthenticationReceiver`.

extension CallbackReceiver where Self == WebAuthenticationReceiver {
    /// Shows the server's page in the system's sheet.
    ///
    /// - Parameters:
    ///   - redirectURI: a URI with a scheme of the app, or with `https` if the app is associated with the domain.
    ///   - isEphemeral: whether the page shares no cookies with earlier visits, so that the user signs in each time.
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

/// One session and its window. The session does not retain the object that provides the window.
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

extension Result where Success == URL, Failure == SignInError {
    fileprivate init(_ url: URL?, _ error: (any Error)?) {
        if let url {
            self = .success(url)
        } else {
            let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
            self = .failure(SignInError(isClosed ? .cancelled : .notShown))
        }
    }
}
#endif

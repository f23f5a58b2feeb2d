// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Observation
import RequestAuthorizationStorage
import RequestAuthorizationURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// sample: token
struct AccountToken: AuthorizationToken, Codable, Equatable {
    let accessToken: String
    let refreshToken: String
    let expiresAt: Date

    var authorizationHeaderValue: String { "Bearer \(accessToken)" }
}
// end sample

// sample: service
/// Calls the two addresses of the server that issue and revoke tokens.
struct AccountService: RefreshableTokenService {
    private let logIn, logOut: JSONTokenEndpoint

    init(server: URL, transport: any TokenTransport, clock: any AuthorizationClock = .system) {
        func endpoint(_ path: String) -> JSONTokenEndpoint {
            JSONTokenEndpoint(
                server.appending(path: path), transport: transport, clock: clock, keys: .convertFromSnakeCase,
                failureKind: { _, code in code == "session_ended" ? .terminal : nil })
        }
        (logIn, logOut) = (endpoint("login"), endpoint("logout"))
    }

    func token(user: String, password: String) async throws -> AccountToken {
        try await token(for: ["user": user, "password": password])
    }

    func refresh(_ token: AccountToken) async throws -> AccountToken {
        try await self.token(for: ["refresh_token": token.refreshToken])
    }

    /// Called by `signOut()`.
    func revoke(_ token: AccountToken) async throws {
        struct Answer: Decodable {}
        _ = try await logOut.post(["refresh_token": token.refreshToken], expecting: Answer.self)
    }

    /// Called for a token that arrives after its session has ended.
    func discard(_ token: AccountToken) async { try? await revoke(token) }

    private func token(for fields: [String: String]) async throws -> AccountToken {
        struct Answer: Decodable { let accessToken, refreshToken: String, expiresIn: TimeInterval }
        let answer = try await logIn.post(fields, expecting: Answer.self)
        return AccountToken(
            accessToken: answer.body.accessToken, refreshToken: answer.body.refreshToken,
            expiresAt: answer.sentAt + answer.body.expiresIn)
    }
}
// end sample

// sample: empty-answer
/// For a server that answers a log-out with an empty 204.
func logOut(_ token: AccountToken, at url: URL, transport: any TokenTransport) async throws {
    let body = try JSONEncoder().encode(["refresh_token": token.refreshToken])
    let response = try await transport.send(
        TokenRequest(url: url, fields: [("Content-Type", "application/json")], body: Array(body)))
    guard response.statusCode == 204 else { throw TokenEndpointError(status: response.statusCode) }
}
// end sample

// sample: model
/// Sends a request with a provider: over the network in the app, to a script in its tests.
typealias AuthorizedSend = @Sendable (URLRequest, any AuthorizationProvider) async throws -> (Data, URLResponse)

@MainActor @Observable final class Account {
    enum Screen { case launching, logIn, content }

    private(set) var widgets: [String] = []
    /// Whether `widgets` could not be brought up to date. The session goes on.
    private(set) var isStale = false
    /// The text below the log-in form.
    private(set) var message: String?
    /// Follows the provider.
    let status: AuthorizationStatus

    private let server: URL
    private let service: AccountService
    private let auth: RefreshableTokenAuthorization<AccountToken>
    private let send: AuthorizedSend
    /// Counts the sessions, so that a late response is not shown to the next user.
    private var session = 0

    init(
        server: URL, service: AccountService, auth: RefreshableTokenAuthorization<AccountToken>,
        send: @escaping AuthorizedSend
    ) {
        (self.server, self.service, self.auth, self.send) = (server, service, auth, send)
        status = AuthorizationStatus(following: auth)
    }
}
// end sample

// sample: app
extension Account {
    /// The account as the app ships it. Make one, and keep it for the life of the app.
    convenience init(server: URL) {
        let service = AccountService(server: server, transport: URLSession.shared)
        let auth = RefreshableTokenAuthorization(
            service: service, store: .default(client: "com.example.widgets", account: "me"))
        self.init(server: server, service: service, auth: auth) { request, auth in
            try await URLSession.shared.data(for: request, authorizedBy: auth)
        }
    }
}
// end sample

// sample: screen
extension Account {
    var screen: Screen {
        switch status.phase {
        case .unknown: .launching
        case .signedOut, .signingIn, .shutDown: .logIn
        case .authorized, .refreshing: .content
        }
    }
}
// end sample

// sample: log-in
extension Account {
    /// Called by the button of the log-in form.
    func logIn(user: String, password: String) async {
        do {
            try await auth.signIn { [service] in try await service.token(user: user, password: password) }
            forget()
            await reload()
        } catch let error as TokenEndpointError where error.code == "wrong_password" {
            message = "The name or the password is wrong."
        } catch is CancellationError {
        } catch {
            message = "This did not work. Please try again later."
        }
    }
}
// end sample

// sample: reload
extension Account {
    /// Called at launch, and when the user asks for it.
    func reload() async {
        let asked = session
        do {
            let (data, response) = try await send(URLRequest(url: server.appending(path: "v1/widgets")), auth)
            guard asked == session else { return }
            isStale = (response as? HTTPURLResponse)?.statusCode != 200
            if !isStale { widgets = try JSONDecoder().decode([String].self, from: data) }
        } catch let error as NotAuthorized where error.needsSignIn {
            guard asked == session else { return }
            forget()  // `screen` shows the log-in by itself
            if error.reason == .rejected { message = "Your session has ended. Please log in again." }
        } catch is CancellationError {
        } catch {
            if asked == session { isStale = true }  // no network, for instance
        }
    }

    private func forget() {
        session += 1
        (widgets, isStale, message) = ([], false, nil)
    }
}
// end sample

// sample: log-out
extension Account {
    /// Called by the log-out button.
    func logOut() async {
        do {
            try await auth.signOut()  // at the server, in the store, in memory
        } catch {
            await auth.reset()  // no network: on this device only
        }
        forget()
    }
}
// end sample

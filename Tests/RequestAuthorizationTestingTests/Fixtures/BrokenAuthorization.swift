// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// A provider with one defect.
struct BrokenAuthorization: AuthorizationProvider {
    enum Defect: Hashable {
        case setsNothing, touchesOtherFields, sendsLineFeed, sendsEmptyValue, returnsAnEarlierRequest, addsToTheField
        case wearsOut, takesCancellationForSignedOut, sendsOverPlaintext, asksForSignInOverPlaintext
        case refusesPlaintext, showsInDescription, showsInDebugDescription, showsInMirror, showsPassword
        case promisesAndFails, promisesAndSendsNothing, showsInError, throwsAnotherError, hangs
    }

    struct Unexpected: Error {}

    private struct State: Sendable {
        var calls = 0
        var wasRefused = false
        var cache: (any AuthorizableRequest)?
    }

    static let credential = "a-secret-credential"
    let defect: Defect
    private let state = Lock(State())
    private var value: String {
        switch defect {
        case .sendsLineFeed: "Bearer \(Self.credential)\r\nX-Injected: 1"
        case .sendsEmptyValue: ""
        case .showsPassword: "Basic \(Data("me:\(Self.credential)".utf8).base64EncodedString())"
        default: "Bearer \(Self.credential)"
        }
    }

    init(_ defect: Defect) { self.defect = defect }

    func authorize<Request: AuthorizableRequest>(_ request: Request) async throws -> Request {
        try await misbehave()
        if request.isPlaintext {
            if defect == .asksForSignInOverPlaintext { throw NotAuthorized(.noToken) }
            guard defect == .sendsOverPlaintext else { throw NotAuthorized(.insecureTransport) }
        }
        var request = request
        let wasRefused = state.withLock(\.wasRefused)
        if defect == .setsNothing || (defect == .promisesAndSendsNothing && wasRefused) { return request }
        if defect == .touchesOtherFields { request.setCredential("broken/1", in: "user-agent") }
        let earlier = request.credential(in: "Authorization").map { "\($0), " } ?? ""
        request.setCredential((defect == .addsToTheField ? earlier : "") + value, in: "Authorization")
        guard defect == .returnsAnEarlierRequest else { return request }
        let authorized = request
        return state.withLock { state in
            let cached = state.cache as? Request ?? authorized
            state.cache = cached
            return cached
        }
    }

    private func misbehave() async throws {
        let calls = state.withLock { state in
            state.calls += 1
            return state.calls
        }
        switch defect {
        case .wearsOut where calls > 500: throw Unexpected()
        case .takesCancellationForSignedOut where Task.isCancelled: throw NotAuthorized(.signedOut)
        case .promisesAndFails where state.withLock(\.wasRefused): throw NotAuthorized(.noToken)
        case .hangs: _ = try await OneShot<Void>().valueIgnoringCancellation()
        default: return
        }
    }

    func setNeedsRefreshAfterUnauthorizedResponse<Request: AuthorizableRequest>(for request: Request) async throws {
        state.withLock { $0.wasRefused = true }
        switch defect {
        case .promisesAndFails, .promisesAndSendsNothing: return
        case .showsInError: throw NotAuthorized(.notRefreshable, detail: "\(Self.credential) is constant")
        case .throwsAnotherError: throw Unexpected()
        default: throw NotAuthorized(.notRefreshable)
        }
    }
}

extension BrokenAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String {
        [.showsInDescription, .showsPassword].contains(defect) ? "Broken(\(Self.credential))" : "Broken"
    }
    var debugDescription: String { defect == .showsInDebugDescription ? "Broken(\(Self.credential))" : "Broken" }
    var customMirror: Mirror {
        Mirror(self, children: defect == .showsInMirror ? ["inner": ["credential": Self.credential]] : [:])
    }
}

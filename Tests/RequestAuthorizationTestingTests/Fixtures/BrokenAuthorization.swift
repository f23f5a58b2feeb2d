// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import RequestAuthorizationTesting

/// A provider with one defect.
struct BrokenAuthorization: AuthorizationProvider {
    enum Defect: Hashable {
        case setsNothing, touchesOtherFields, sendsLineFeed, sendsEmptyValue, addsToTheField, hasOthersAtHand
        case hidesThatItSigns
        case wearsOut, takesCancellationForSignedOut, asksForSignInOverPlaintext
        case refusesPlaintext, showsInDescription, showsInDebugDescription, showsInMirror, showsPassword
        case promisesAndFails, promisesAndSendsNothing, promisesAndRepeats, showsInError, throwsAnotherError, hangs
    }

    struct Unexpected: Error {}

    private struct State: Sendable {
        var calls = 0
        var wasRefused = false
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

    func credential(for request: some AuthorizableRequest) async throws -> Credential {
        try await misbehave()
        if request.isPlaintext {
            throw NotAuthorized(defect == .asksForSignInOverPlaintext ? .noToken : .insecureTransport)
        }
        let wasRefused = state.withLock(\.wasRefused)
        if defect == .setsNothing || (defect == .promisesAndSendsNothing && wasRefused) { return .none }
        let earlier = request.credential(in: "Authorization").map { "\($0), " } ?? ""
        let signature = defect == .hidesThatItSigns ? "-\((request.targetURI ?? "").suffix(1))" : ""
        let credential = try Credential(
            (defect == .addsToTheField ? earlier : "") + value + signature, receipt: Receipt(maker: self))
        return defect == .touchesOtherFields ? try credential.adding("broken/1", in: "user-agent") : credential
    }

    func credentialAtHand(for request: some AuthorizableRequest) throws -> Credential? {
        defect == .hasOthersAtHand && !request.isPlaintext
            ? try Credential(["Authorization": value, "X-Other": "1"]) : nil
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

    private struct Receipt: CredentialReceipt {
        let maker: BrokenAuthorization

        func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict {
            maker.state.withLock { $0.wasRefused = true }
            switch maker.defect {
            case .promisesAndFails, .promisesAndSendsNothing, .promisesAndRepeats: return .anew
            case .showsInError: throw NotAuthorized(.rejected, detail: "\(credential) is constant")
            case .throwsAnotherError: throw Unexpected()
            default: return .accept
            }
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

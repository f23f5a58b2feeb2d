// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// What an answer means for the credential of its request.
///
/// Its description is a short label without secrets, for metrics.
public struct Verdict: Sendable, Hashable, Labelled {
    @usableFromInline package let label: String

    /// The answer counts.
    public static let accept = Verdict(label: "accept")
    /// Another credential may be accepted. A retry uses up one of `refreshCount`.
    public static let anew = Verdict(label: "anew")
    /// The credential is good, its proof is not. A retry with a new proof uses up nothing.
    public static let newProof = Verdict(label: "new proof")
}

/// What the maker of a credential knows about it. Clients ask it through the ``Credential``.
///
/// Only makers that can do something about a refusal have one.
public protocol CredentialReceipt: Sendable {
    /// Whether every answer matters, not only a refusal, for instance because it may bring a nonce. The default is `false`.
    var wantsEveryAnswer: Bool { get }

    /// Whether the credential is the one that requests get now. The default is `true`.
    var isCurrent: Bool { get }

    /// Says what an answer to a request with the credential means. It may wait, but not for the next credential.
    ///
    /// - Parameters:
    ///   - answer: a 401, a 403 that asks for something, or any answer if ``wantsEveryAnswer``.
    ///   - afterRefresh: whether this is the last answer of a call that was refused before. A young token is spared then.
    /// - Throws: ``NotAuthorized`` if the session is over. With any other reason it means ``Verdict/accept``.
    func judge(_ answer: some AuthorizableResponse, afterRefresh: Bool) async throws -> Verdict

    /// Called before a request is sent again, or later than planned, with another credential. The default allows it.
    ///
    /// - Throws: ``NotAuthorized`` with the reason ``NotAuthorized/Reason/sessionReplaced`` if that credential belongs to
    ///   another session.
    func admit(_ next: Credential) throws
}

extension CredentialReceipt {
    public var wantsEveryAnswer: Bool { false }
    public var isCurrent: Bool { true }
    public func admit(_ next: Credential) throws {}
}

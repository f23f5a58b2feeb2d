// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
/// The provider and the origin of an interceptor's calls.
///
/// It is a class because every call and its answer keep it: copying costs one reference instead of a dozen words.
final class CallTarget: Sendable, RedactedDescription {
    let provider: any AuthorizationProvider
    let origin: Origin

    init(provider: any AuthorizationProvider, origin: Origin) { (self.provider, self.origin) = (provider, origin) }

    /// Returns the call with its credential.
    func authorize(_ metadata: Metadata, _ method: MethodDescriptor) async throws -> CallMetadata {
        let call = CallMetadata(metadata: metadata, target: self, method: method)
        do {
            if let atHand = try provider.credentialAtHand(for: call) { return try call.carrying(atHand) }
            return try call.carrying(await provider.credential(for: call))
        } catch {
            throw RPCError(withoutCredential: error) ?? error
        }
    }

    /// Judges a refusal.
    ///
    /// gRPC makes the next attempt, which does not know of this one. So the next credential is awaited and admitted before
    /// the attempt is allowed. If another session begins in the milliseconds between both, that is not noticed.
    ///
    /// - Parameter isRepeated: whether gRPC itself may make the next attempt.
    /// - Returns: the refusal, with the advice whether to retry. Its cause is the end of the session, if there is one.
    func judge(_ refusal: RPCError, of call: CallMetadata, isRepeated: Bool = true) async -> RPCError {
        let isLast = isRepeated && refusal.formerAttempts > 0  // A refused retry goes to the caller.
        let response = AnswerMetadata(metadata: refusal.metadata, statusCode: 401)
        do {
            switch try await call.credential.judge(response, afterRefresh: isLast) {
            case .anew where !isLast, .newProof where refusal.formerAttempts < 2:
                if isRepeated, !refusal.forbidsRetry {
                    try await call.credential.awaitSuccessor(for: call.withoutCredential, from: provider)
                }
                return refusal.pushingBack("0")
            default: return refusal.pushingBack("-1")
            }
        } catch let error as NotAuthorized where error.isEndOfSession {
            var refusal = refusal
            refusal.cause = error.asked(by: response)
            return refusal.pushingBack("-1")
        } catch {
            return RPCError(withoutCredential: error, after: refusal) ?? refusal.pushingBack("-1")
        }
    }
}
#endif

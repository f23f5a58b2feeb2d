// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
import GRPCCore
import RequestAuthorization

/// Who authorizes the calls of an interceptor, and where they go.
///
/// An object, because every call and its answer hold on to all of it: one reference is copied instead of a dozen words.
final class CallTarget: Sendable, RedactedDescription {
    let provider: any AuthorizationProvider
    let origin: Origin
    let isPlaintext: Bool
    /// The provider, if it is one of ours. A cast, which is looked for once.
    private let immediate: (any ImmediateAuthorization)?

    init(provider: any AuthorizationProvider, origin: Origin) {
        self.provider = provider
        self.origin = origin
        isPlaintext = origin.isPlaintext && !origin.isLoopback
        immediate = provider as? any ImmediateAuthorization
    }

    /// The call with its credential, if nothing has to be waited for: as a rule.
    func authorizeAtOnce(_ metadata: Metadata, _ method: MethodDescriptor) throws -> CallMetadata? {
        guard let immediate else { return nil }
        do {
            return try immediate.authorizeAtOnce(CallMetadata(metadata: metadata, target: self, method: method))?
                .checked()
        } catch {
            throw RPCError(withoutCredential: error) ?? error
        }
    }

    func authorize(_ metadata: Metadata, _ method: MethodDescriptor) async throws -> CallMetadata {
        do {
            return try await provider.authorize(CallMetadata(metadata: metadata, target: self, method: method))
                .checked()
        } catch {
            throw RPCError(withoutCredential: error) ?? error
        }
    }

    /// Shows the provider what came with an answer that is no refusal.
    func learn(from metadata: Metadata, for call: CallMetadata) {
        _ = provider.learn(from: AnswerMetadata(metadata: metadata), to: call)
    }

    /// Hands a refusal to the provider.
    ///
    /// - Returns: the refusal, and in it whether another call is worth a try. If the session is over, that is its cause.
    func told(of refusal: RPCError, for call: CallMetadata) async -> RPCError {
        let response = refusal.unauthorizedResponse
        do {
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: call)
            return refusal.pushingBack("0")
        } catch let error as NotAuthorized where error.isEndOfSession {
            return refusal.caused(by: error.asked(by: response)).pushingBack("-1")
        } catch {
            return refusal.pushingBack("-1")  // No way forward: what the server said is never hidden.
        }
    }
}
#endif

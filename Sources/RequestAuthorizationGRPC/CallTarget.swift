// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
/// The provider and the origin of an interceptor's calls.
///
/// It is a class because every call and its answer keep it: copying costs one reference instead of a dozen words.
final class CallTarget: Sendable, RedactedDescription {
    let provider: any AuthorizationProvider
    let origin: Origin
    let isPlaintext: Bool
    /// The provider, if it can authorize synchronously; stored so that the cast is made once.
    private let synchronous: (any SynchronousAuthorization)?

    init(provider: any AuthorizationProvider, origin: Origin) {
        (self.provider, self.origin) = (provider, origin)
        isPlaintext = origin.isPlaintext && !origin.isLoopback
        synchronous = provider as? any SynchronousAuthorization
    }

    /// Returns the call with its credential, or `nil` if the provider has to suspend.
    func authorizeAtOnce(_ metadata: Metadata, _ method: MethodDescriptor) throws -> CallMetadata? {
        guard let synchronous else { return nil }
        do {
            let call = CallMetadata(metadata: metadata, target: self, method: method)
            return try synchronous.authorizeAtOnce(call)?.checked()
        } catch {
            throw RPCError(withoutCredential: error) ?? error
        }
    }

    func authorize(_ metadata: Metadata, _ method: MethodDescriptor) async throws -> CallMetadata {
        do {
            let call = CallMetadata(metadata: metadata, target: self, method: method)
            return try await provider.authorize(call).checked()
        } catch {
            throw RPCError(withoutCredential: error) ?? error
        }
    }

    /// Shows the provider an answer.
    ///
    /// - Returns: whether only the proof was refused, so that a retry with a new proof makes sense.
    func learn(from answer: some AuthorizableResponse, for call: CallMetadata) -> Bool {
        provider.learn(from: answer, to: call)
    }

    /// Tells the provider of a refusal.
    ///
    /// - Returns: the refusal, with the advice whether to retry. Its cause is the end of the session, if there is one.
    func told(of refusal: RPCError, for call: CallMetadata) async -> RPCError {
        let response = refusal.unauthorizedResponse
        do {
            try await provider.setNeedsRefreshAfterUnauthorizedResponse(response, for: call)
            return refusal.pushingBack("0")
        } catch let error as NotAuthorized where error.isEndOfSession {
            return refusal.caused(by: error.asked(by: response)).pushingBack("-1")
        } catch {
            return refusal.pushingBack("-1")  // The server's refusal is returned, not the provider's error.
        }
    }
}
#endif

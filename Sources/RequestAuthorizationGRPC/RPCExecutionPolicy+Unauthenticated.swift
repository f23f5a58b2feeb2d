// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
extension RPCExecutionPolicy {
    /// Retries a call after `UNAUTHENTICATED`, when an ``AuthorizationInterceptor`` has told the provider.
    ///
    ///     var options = CallOptions.defaults
    ///     options.executionPolicy = .retryingUnauthenticated
    ///
    /// There is one retry, and another one only if the server refuses nothing but the proof of the first. Your own policy
    /// does the same if `.unauthenticated` is in its `retryableStatusCodes` (in a hedging policy, in its
    /// `nonFatalStatusCodes`) and it allows three attempts. Even if it allows more, there is no further one. An attempt
    /// that was hedged before the first was refused is used up: choose a `hedgingDelay` longer than a refusal takes.
    ///
    /// - Warning: With any such policy, grpc-swift-2 (seen with 2.4.3) can lose the last message of a call, although
    ///   the server answers. Set none for a method that takes a stream of messages.
    public static var retryingUnauthenticated: RPCExecutionPolicy {
        // The delay must not be zero. The interceptor overrides it in each answer.
        .retry(
            RetryPolicy(
                maxAttempts: 3, initialBackoff: .milliseconds(1), maxBackoff: .milliseconds(1), backoffMultiplier: 1,
                retryableStatusCodes: [.unauthenticated]))
    }
}

extension ServiceConfig {
    /// Applies ``GRPCCore/RPCExecutionPolicy/retryingUnauthenticated`` to every method.
    ///
    /// In your own configuration, add this element to `methodConfig`, and set the policy in the other elements:
    ///
    ///     MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .retryingUnauthenticated)
    ///
    /// A method that takes a stream of messages should have an element of its own without a policy, for the reason that
    /// ``GRPCCore/RPCExecutionPolicy/retryingUnauthenticated`` gives:
    ///
    ///     MethodConfig(names: [MethodConfig.Name(service: "widgets.Widgets", method: "Upload")])
    public static var retryingUnauthenticated: ServiceConfig {
        ServiceConfig(methodConfig: [
            MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .retryingUnauthenticated)
        ])
    }
}
#endif

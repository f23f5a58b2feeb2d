// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
public import GRPCCore

extension RPCExecutionPolicy {
    /// Has gRPC make a call once more after `UNAUTHENTICATED`, when an ``AuthorizationInterceptor`` has told the provider.
    ///
    ///     var options = CallOptions.defaults
    ///     options.executionPolicy = .retryingUnauthenticated
    ///
    /// A policy of yours does the same if `.unauthenticated` is one of its `retryableStatusCodes` (of a hedging policy, its
    /// `nonFatalStatusCodes`): however many attempts it allows, the refusal of the first alone leads to another.
    public static var retryingUnauthenticated: RPCExecutionPolicy {
        // The interceptor overrides the delay, which must not be zero, in each answer.
        .retry(
            RetryPolicy(
                maxAttempts: 2, initialBackoff: .milliseconds(1), maxBackoff: .milliseconds(1), backoffMultiplier: 1,
                retryableStatusCodes: [.unauthenticated]))
    }
}

extension ServiceConfig {
    /// The policy ``GRPCCore/RPCExecutionPolicy/retryingUnauthenticated`` for every method, and nothing else.
    ///
    /// In a configuration of yours, it is one more element of `methodConfig`, and a part of the others:
    ///
    ///     MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .retryingUnauthenticated)
    public static var retryingUnauthenticated: ServiceConfig {
        ServiceConfig(methodConfig: [
            MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .retryingUnauthenticated)
        ])
    }
}
#endif

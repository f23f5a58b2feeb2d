// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
extension RPCExecutionPolicy {
    /// Retries a call once after `UNAUTHENTICATED`, when an ``AuthorizationInterceptor`` has told the provider.
    ///
    ///     var options = CallOptions.defaults
    ///     options.executionPolicy = .retryingUnauthenticated
    ///
    /// Your own policy does the same if `.unauthenticated` is in its `retryableStatusCodes` (in a hedging policy, in
    /// its `nonFatalStatusCodes`). Even if it allows more attempts, a refused retry is not retried.
    public static var retryingUnauthenticated: RPCExecutionPolicy {
        // The delay must not be zero. The interceptor overrides it in each answer.
        .retry(
            RetryPolicy(
                maxAttempts: 2, initialBackoff: .milliseconds(1), maxBackoff: .milliseconds(1), backoffMultiplier: 1,
                retryableStatusCodes: [.unauthenticated]))
    }
}

extension ServiceConfig {
    /// Applies ``GRPCCore/RPCExecutionPolicy/retryingUnauthenticated`` to every method.
    ///
    /// In your own configuration, add this element to `methodConfig`, and set the policy in the other elements:
    ///
    ///     MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .retryingUnauthenticated)
    public static var retryingUnauthenticated: ServiceConfig {
        ServiceConfig(methodConfig: [
            MethodConfig(names: [MethodConfig.Name(service: "")], executionPolicy: .retryingUnauthenticated)
        ])
    }
}
#endif

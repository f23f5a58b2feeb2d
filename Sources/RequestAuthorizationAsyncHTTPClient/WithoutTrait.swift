// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if !AsyncHTTPClient
@available(
    *, unavailable,
    message: "HTTPClient needs async-http-client: enable the trait 'AsyncHTTPClient' of swift-request-authorization"
)
public struct HTTPClient: Sendable {
    public static var shared: HTTPClient { HTTPClient() }
}

@available(
    *, unavailable,
    message:
        "HTTPClientRequest needs async-http-client: enable the trait 'AsyncHTTPClient' of swift-request-authorization"
)
public struct HTTPClientRequest: Sendable {
    public init(url: String) {}
}
#endif

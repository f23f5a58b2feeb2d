// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if !HTTPTypes
@available(
    *, unavailable,
    message: "HTTPRequest needs swift-http-types: enable the trait 'HTTPTypes' of swift-request-authorization"
)
public struct HTTPRequest: Sendable {
    public init(method: Any, scheme: String?, authority: String?, path: String?) {}
}
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
@_exported public import AsyncHTTPClient
@_exported public import NIOCore
@_exported public import NIOHTTP1
#endif
@_exported public import RequestAuthorization

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if AsyncHTTPClient
@_exported public import AsyncHTTPClient
#endif
@_exported public import RequestAuthorization

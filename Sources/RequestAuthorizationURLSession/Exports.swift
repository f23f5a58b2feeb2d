// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// For all files of this module and for its users.
@_exported public import Foundation
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
#if HTTPTypes
@_exported public import HTTPTypesFoundation
@_exported public import RequestAuthorizationHTTPTypes
#endif
@_exported public import RequestAuthorization

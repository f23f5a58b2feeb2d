// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if HTTPTypes
@_exported public import HTTPTypes
#endif
@_exported public import RequestAuthorization

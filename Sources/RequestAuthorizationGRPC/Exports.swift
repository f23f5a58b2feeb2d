// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if GRPC
@_exported public import GRPCCore
#endif
@_exported public import RequestAuthorization

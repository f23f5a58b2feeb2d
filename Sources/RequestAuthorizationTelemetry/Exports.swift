// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Telemetry
@_exported public import Logging
#endif
@_exported public import RequestAuthorization

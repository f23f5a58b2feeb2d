// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#ifndef TRUSTED_BUNDLE_H
#define TRUSTED_BUNDLE_H

/// Makes this process read another file (PEM) instead of the system's certificate authorities.
///
/// On Linux `URLSession` trusts the system's authorities only, and has no setting for others. A test must not change the machine's.
///
/// - Parameter path: not copied. Call it before the first connection.
void trusted_bundle_use(const char *path);

#endif

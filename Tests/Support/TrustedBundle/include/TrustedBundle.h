// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#ifndef TRUSTED_BUNDLE_H
#define TRUSTED_BUNDLE_H

/// Makes this process read another file (PEM) where it would read the certificate authorities of the system.
///
/// On Linux `URLSession` trusts those alone, and has no way to be told of others; a test is not to change them for the machine.
///
/// - Parameter path: not copied. Call it before the first connection.
void trusted_bundle_use(const char *path);

#endif

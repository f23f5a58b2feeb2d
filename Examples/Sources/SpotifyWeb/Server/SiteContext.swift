// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Hummingbird

/// What a request of the site carries along: under which origin it came.
struct SiteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// `http://127.0.0.1:8080`; set by ``HostCheck`` before any page is made.
    var origin = ""

    init(source: Source) { coreContext = .init(source: source) }
}
#endif

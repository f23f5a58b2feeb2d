// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Hummingbird

/// The context of a request: its origin.
struct SiteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// For instance `http://127.0.0.1:8080`. ``HostCheck`` sets it before any page is made.
    var origin = ""

    init(source: Source) { coreContext = .init(source: source) }
}
#endif

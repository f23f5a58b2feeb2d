// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func page(_ page: Page) -> Response {
        Response(
            status: .init(code: page.status), headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: page.document.markup)))
    }

    /// Redirects the browser with GET, also after a POST.
    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location])
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import Synchronization

/// A socket pair between two processes, or two threads.
///
/// No later child inherits it. A sibling with a copy of the other end would hide the death of the child.
final class Channel: Sendable {
    /// This side.
    let near: FileDescriptor
    /// The child's standard input and output.
    let far: FileDescriptor

    init() throws {
        var files: [Int32] = [-1, -1]
        #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &files) == 0 else { throw SystemError("socketpair") }
        (near, far) = (FileDescriptor(files[0]), FileDescriptor(files[1]))
    }

    func write(_ text: String) { _ = Sockets.write(Array(text.utf8), to: near.number) }

    /// Ends this direction. The reader at the far side then has read everything.
    func finish() { shutdown(near.number, Int32(SHUT_WR)) }
}

/// A file descriptor, which is closed once.
final class FileDescriptor: Sendable {
    let number: Int32
    private let isOpen = Mutex(true)

    init(_ number: Int32) { self.number = number }

    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Foundation.close(number) }
    }

    deinit { close() }
}

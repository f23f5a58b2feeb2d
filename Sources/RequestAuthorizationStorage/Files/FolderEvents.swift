// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif
import Dispatch

/// What the system tells of a folder: inotify on Linux, a vnode source on Darwin.
struct FolderEvents {
    enum News {
        case none
        /// The item may have been exchanged.
        case item
        /// The folder itself is gone.
        case folder
    }

    private let number: CInt
    private let name: String

    /// - Returns: `nil` if the folder is not there or the system has no more to give.
    init?(in files: CredentialFiles) {
        guard let folder = try? files.folder.open(making: false) else { return nil }
        name = files.token
        guard let number = folder.withNumber(Self.follow) else { return nil }
        self.number = number
    }

    #if canImport(Darwin)
    private static func follow(_ folder: CInt) -> CInt? {
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    /// - Parameter handler: called on the queue.
    func source(on queue: DispatchQueue, _ handler: @escaping (News) -> Void) -> any DispatchSourceProtocol {
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: number, eventMask: [.write, .delete, .rename, .revoke], queue: queue)
        source.setEventHandler { handler(source.data.isSubset(of: .write) ? .item : .folder) }
        source.setCancelHandler { [number] in _ = close(number) }
        return source
    }
    #else
    /// Only what puts a name into the folder or takes it out: items are never overwritten.
    private static let mask = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)

    private static func follow(_ folder: CInt) -> CInt? {
        let number = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { return nil }
        // By its descriptor: another folder may stand at the path by now.
        if inotify_add_watch(number, "/proc/self/fd/\(folder)", mask) >= 0 { return number }
        close(number)
        return nil
    }

    /// - Parameter handler: called on the queue.
    func source(on queue: DispatchQueue, _ handler: @escaping (News) -> Void) -> any DispatchSourceProtocol {
        let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        source.setEventHandler { handler(take()) }
        source.setCancelHandler { [number] in _ = close(number) }
        return source
    }

    /// Takes all events that are there.
    private func take() -> News {
        var news = News.none
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
            guard count > 0 else { return news }
            var rest = buffer[..<count]
            while rest.count >= MemoryLayout<inotify_event>.size {
                let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
                let end = MemoryLayout<inotify_event>.size + Int(event.len)
                let name = rest.dropFirst(MemoryLayout<inotify_event>.size).prefix(Int(event.len)).prefix { $0 != 0 }
                rest = rest.dropFirst(end)
                if event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0 { return .folder }
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || name.elementsEqual(self.name.utf8) { news = .item }
            }
        }
    }
    #endif
}

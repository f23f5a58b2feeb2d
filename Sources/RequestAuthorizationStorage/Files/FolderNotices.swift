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

/// Notifications of the system about folders: inotify on Linux, a vnode source per folder on Darwin.
///
/// On Linux a user may have 128 inotify instances, so a process uses one. It is closed with the last subscription.
enum FolderNotices {
    enum Notice {
        /// The file of this name was added, replaced or removed, or its lock was released.
        case file(String)
        /// A file was added, replaced or removed. The system does not tell which one.
        case someFile
        /// The folder itself was removed or moved, or notices were lost.
        case folder
    }

    typealias Handler = @Sendable (Notice) -> Void

    /// Notices arrive until it is deinitialized.
    final class Subscription: Sendable {
        private let end: @Sendable () -> Void

        fileprivate init(end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    /// Subscribes to the notices of a layer, or to those of the system.
    static func follow(_ folder: CInt, in layer: any FileLayer, _ handler: @escaping Handler) -> Subscription? {
        guard let layer = layer as? any NotifyingFileLayer else { return follow(folder, handler) }
        return layer.follow(folder) { handler($0.map(Notice.file) ?? .someFile) }.map { Subscription(end: $0) }
    }
}

#if canImport(Darwin)
extension FolderNotices {
    /// - Parameter handler: called on a queue of its own. It must not block.
    /// - Returns: `nil` if the process has no file descriptor left.
    static func follow(_ folder: CInt, _ handler: @escaping Handler) -> Subscription? {
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        // Locked because a source is not `Sendable`.
        let source = Lock<any DispatchSourceFileSystemObject>(
            DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: copy, eventMask: [.write, .delete, .rename, .revoke],
                queue: DispatchQueue(label: "RequestAuthorizationStorage.notices")))
        source.withLock {
            $0.setEventHandler {
                let events = source.withLock { $0.data }
                handler(events.isSubset(of: .write) ? .someFile : .folder)
            }
            $0.setCancelHandler { _ = close(copy) }
            $0.resume()
        }
        return Subscription { source.withLock { $0.cancel() } }
    }
}
#else
extension FolderNotices {
    /// - Parameter handler: called on a queue that all folders share. It must not block.
    /// - Returns: `nil` if the user has no inotify instance or no watch left.
    static func follow(_ folder: CInt, _ handler: @escaping Handler) -> Subscription? {
        let notices = shared.withLock { shared in
            let notices = shared.value ?? InotifyInstance()
            shared.value = notices
            return notices
        }
        guard let notices, let id = notices.add(folder, handler) else { return nil }
        return Subscription { notices.remove(id) }
    }

    private struct Shared { weak var value: InotifyInstance? }

    private static let shared = Lock(Shared())
}

/// An inotify instance and the handlers of its watches.
final class InotifyInstance: Sendable {
    private struct State {
        /// The handlers by watch. The kernel has one watch per folder for all subscriptions.
        var handlers: [CInt: [Int: FolderNotices.Handler]] = [:]
        /// The watches without handlers.
        var unused: Set<CInt> = []
        var count = 0
        /// The number of calls that are adding a watch. One of them may be about to use a watch without handlers.
        var adding = 0
    }

    /// Events that add or remove a name (no item is overwritten in place), and `IN_ATTRIB` for a released lock.
    private static let mask = UInt32(
        IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    private let number: CInt
    private let source: Lock<any DispatchSourceRead>
    private let state = Lock(State())

    init?() {
        let number = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { return nil }
        self.number = number
        source = Lock(
            DispatchSource.makeReadSource(
                fileDescriptor: number, queue: DispatchQueue(label: "RequestAuthorizationStorage.notices")))
        source.withLock { source in
            source.setEventHandler { [weak self] in self?.take() }
            source.setCancelHandler { _ = close(number) }
            source.resume()
        }
    }

    deinit { source.withLock { $0.cancel() } }

    func add(_ folder: CInt, _ handler: @escaping FolderNotices.Handler) -> (watch: CInt, number: Int)? {
        state.withLock { $0.adding += 1 }
        // The descriptor names the folder, because the path may have another one by now. The state is not locked here,
        // because the call blocks on a disk that hangs.
        let watch = inotify_add_watch(number, "/proc/self/fd/\(folder)", Self.mask)
        return state.withLock { state in
            state.adding -= 1
            state.unused.remove(watch)
            defer { removeUnused(&state) }
            guard watch >= 0 else { return nil }
            state.count += 1
            state.handlers[watch, default: [:]][state.count] = handler
            return (watch, state.count)
        }
    }

    func remove(_ id: (watch: CInt, number: Int)) {
        state.withLock { state in
            state.handlers[id.watch]?[id.number] = nil
            guard state.handlers[id.watch]?.isEmpty == true else { return }
            state.handlers[id.watch] = nil
            state.unused.insert(id.watch)
            removeUnused(&state)
        }
    }

    // MARK: -

    private func removeUnused(_ state: inout State) {
        guard state.adding == 0 else { return }
        for watch in state.unused { inotify_rm_watch(number, watch) }
        state.unused = []
    }

    /// Reads all pending events.
    private func take() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            var rest = buffer[..<count]
            while rest.count >= MemoryLayout<inotify_event>.size {
                let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
                let name = rest.dropFirst(MemoryLayout<inotify_event>.size).prefix(Int(event.len)).prefix { $0 != 0 }
                rest = rest.dropFirst(MemoryLayout<inotify_event>.size + Int(event.len))
                tell(event, String(decoding: name, as: UTF8.self))
            }
        }
    }

    private func tell(_ event: inotify_event, _ name: String) {
        let (handlers, notice) = state.withLock { state -> ([FolderNotices.Handler], FolderNotices.Notice) in
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return (state.handlers.values.flatMap(\.values), .folder) }
            let handlers = Array((state.handlers[event.wd] ?? [:]).values)
            // The kernel has removed the watch and may use its number again.
            if event.mask & UInt32(IN_IGNORED) != 0 {
                state.handlers[event.wd] = nil
                state.unused.remove(event.wd)
            }
            let isGone = event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0
            // An event without a name is about the attributes of the folder itself.
            if !isGone, name.isEmpty { return ([], .folder) }
            return (handlers, isGone ? .folder : .file(name))
        }
        for handler in handlers { handler(notice) }
    }
}
#endif

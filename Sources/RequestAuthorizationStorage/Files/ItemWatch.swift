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
import RequestAuthorization

/// Looks whether an item has been exchanged: one `stat`, whenever something happens in its folder, or twice a second where
/// the system does not tell.
///
/// A file is known by its number, times and size. The one that was seen last is kept open, for a number that is in use is not
/// given to another file; times alone tie.
///
/// `@unchecked Sendable` is safe: after `init` everything is touched on `queue` alone, which is serial.
final class ItemWatch: @unchecked Sendable {
    private let files: CredentialFiles
    private let queue: BlockingQueue
    private let continuation: AsyncStream<Void>.Continuation
    private var seen: (status: FileStatus?, file: OpenFile?) = (nil, nil)
    private var source: (any DispatchSourceProtocol)?
    private var isOver = false
    /// A look has failed, and is made again.
    private var isLookingAgain = false

    /// How long, where the system does not tell, nobody looks.
    private static let interval = DispatchTimeInterval.milliseconds(500)

    static func stream(of files: CredentialFiles, on queue: BlockingQueue) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = ItemWatch(files, queue, continuation)
        continuation.onTermination = { _ in queue.queue.async { watch.end() } }
        queue.queue.async { watch.begin() }
        return stream
    }

    private init(_ files: CredentialFiles, _ queue: BlockingQueue, _ continuation: AsyncStream<Void>.Continuation) {
        (self.files, self.queue, self.continuation) = (files, queue, continuation)
    }

    // MARK: -

    private func begin() {
        seen = (try? files.look()) ?? (nil, nil)
        arm()
    }

    private func end() {
        isOver = true
        source?.cancel()
        (source, seen) = (nil, (nil, nil))
    }

    /// Follows the folder or, as long as it is not there or the system does not tell, looks from time to time.
    private func arm() {
        guard !isOver else { return }
        source?.cancel()
        if let events = FolderEvents(in: files) {
            let source = events.source(on: queue.queue) { [weak self] news in self?.take(news) }
            self.source = source
            source.resume()
            // What happened between the first look and now.
            look()
        } else {
            let timer = DispatchSource.makeTimerSource(queue: queue.queue)
            timer.schedule(deadline: .now() + Self.interval, leeway: .milliseconds(100))
            timer.setEventHandler { [weak self] in
                self?.look()
                self?.arm()
            }
            source = timer
            timer.resume()
        }
    }

    private func take(_ news: FolderEvents.News) {
        switch news {
        case .none: break
        case .item: look()
        case .folder:
            look()
            arm()
        }
    }

    /// The check for news.
    private func look() {
        guard !isOver else { return }
        do {
            if try files.status() == seen.status { return }
            seen = try files.look()
        } catch {
            // There are too many open files, for instance: what happened is not forgotten.
            return lookAgain()
        }
        // Empty is what was set aside: nobody has signed out.
        if seen.status?.size != 0 { continuation.yield() }
    }

    private func lookAgain() {
        guard !isLookingAgain else { return }
        isLookingAgain = true
        queue.queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
            self?.isLookingAgain = false
            self?.look()
        }
    }
}

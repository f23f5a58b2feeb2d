// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationNetworking)

/// Writes the bodies of a session's tasks to temporary files, as the session's delegate.
///
/// A cancelled download task of swift-corelibs-foundation leaves its file behind and does not report its name. So a
/// download is a data task here, and this class owns the file.
final class FileWriter: NSObject, URLSessionDataDelegate {
    private let files = Lock<[Int: BodyFile]>([:])
    private let folder: URL

    /// - Parameter folder: the place of the files.
    init(folder: URL = FileManager.default.temporaryDirectory) { self.folder = folder }

    /// Prepares a file for a task that has not begun yet, and calls the handler when the task has ended.
    func begin(
        _ task: URLSessionTask, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) {
        let file = BodyFile(in: folder, completionHandler)
        files.withLock { $0[task.taskIdentifier] = file }
    }

    /// Removes the file of a task whose answer is no longer needed. Its handler is not called.
    func abandon(_ task: URLSessionTask) { take(task)?.remove() }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard files.withLock({ $0[dataTask.taskIdentifier] })?.write(data) == false else { return }
        // On another thread, because cancelling waits for this one. Not after the end of the task: then Foundation may
        // end the process.
        DispatchQueue.global().async {
            guard let file = self.take(dataTask) else { return }
            file.end(dataTask.response, nil)
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        take(task)?.end(task.response, error)
    }

    private func take(_ task: URLSessionTask) -> BodyFile? {
        files.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
}

/// The temporary file of one answer; only its owner can read it.
private final class BodyFile: Sendable {
    private let url: URL
    private let handle: Lock<Result<FileHandle, any Error>?>
    private let completionHandler: @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    init(in folder: URL, _ completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) {
        let url = folder.appendingPathComponent(UUID().uuidString + ".tmp")
        (self.url, self.completionHandler) = (url, completionHandler)
        let isMade = FileManager.default.createFile(
            atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        handle = Lock(isMade ? Result { try FileHandle(forWritingTo: url) } : .failure(URLError(.cannotCreateFile)))
    }

    /// - Returns: false if the data could not be written.
    func write(_ data: Data) -> Bool {
        handle.withLock { handle in
            guard case .success(let file)? = handle else { return false }
            do {
                try file.write(contentsOf: data)
                return true
            } catch {
                handle = .failure(URLError(.cannotWriteToFile))
                return false
            }
        }
    }

    func end(_ response: URLResponse?, _ error: (any Error)?) {
        guard let problem = close() ?? error else { return completionHandler(url, response, nil) }
        try? FileManager.default.removeItem(at: url)
        completionHandler(nil, response, problem)
    }

    func remove() {
        _ = close()
        try? FileManager.default.removeItem(at: url)
    }

    /// - Returns: the error because of which the file does not hold the whole body; `nil` if it does.
    private func close() -> (any Error)? {
        handle.withLock { handle in
            defer { handle = nil }
            switch handle {
            case .success(let file)?:
                do { try file.close() } catch { return URLError(.cannotCloseFile) }
                return nil
            case .failure(let error)?: return error
            case nil: return nil
            }
        }
    }
}
#endif

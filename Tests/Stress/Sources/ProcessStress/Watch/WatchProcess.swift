// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// A second process that watches the store's folder during a run.
final class WatchProcess: Sendable {
    private let pid: pid_t
    private let channel: Channel

    init(_ folder: URL, looks: Int) throws {
        channel = try Channel()
        pid = try ChildProcess.start(
            ["watch-folder", folder.path, "--looks", "\(looks)"], channel: channel)
    }

    /// Ends the watch.
    func finish() throws -> FolderReport {
        channel.finish()
        var json: [UInt8] = []
        while let bytes = Sockets.read(channel.near.number) { json += bytes }
        _ = ChildProcess.wait(for: pid)
        return try JSONDecoder().decode(FolderReport.self, from: Data(json))
    }
}

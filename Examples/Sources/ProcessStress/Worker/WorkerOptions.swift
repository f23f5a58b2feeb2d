// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// What a worker's process is told when it starts.
public struct WorkerOptions: Sendable {
    /// Where the clock page is and, in `store`, the store.
    public var folder: URL
    public var port: UInt16
    public var name: ProcessName
    public var withoutLock: Bool
    public var withoutIntent: Bool
    public var withoutWatch: Bool
    public var withoutEnd: Bool

    public init(
        folder: URL, port: UInt16, name: ProcessName, withoutLock: Bool = false, withoutIntent: Bool = false,
        withoutWatch: Bool = false, withoutEnd: Bool = false
    ) {
        self.folder = folder
        self.port = port
        self.name = name
        self.withoutLock = withoutLock
        self.withoutIntent = withoutIntent
        self.withoutWatch = withoutWatch
        self.withoutEnd = withoutEnd
    }

    /// The arguments that say all this.
    var arguments: [String] {
        ["worker", folder.path, "\(port)", "\(name)"] + (withoutLock ? ["--without-lock"] : [])
            + (withoutIntent ? ["--without-intent"] : []) + (withoutWatch ? ["--without-watch"] : [])
            + (withoutEnd ? ["--without-end"] : [])
    }
}

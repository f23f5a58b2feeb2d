// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

public import Foundation

/// The options of a worker's process.
public struct WorkerOptions: Sendable {
    /// The folder with the clock page and, in `store`, the store.
    public var folder: URL
    public var port: UInt16
    public var name: ProcessName
    public var withoutLock: Bool
    public var withoutIntent: Bool
    public var withoutWatch: Bool
    public var withoutEnd: Bool
    public var withoutBinding: Bool
    /// Whether it uses the database of a fleet instead of a file.
    public var isReplica: Bool

    public init(
        folder: URL, port: UInt16, name: ProcessName, withoutLock: Bool = false, withoutIntent: Bool = false,
        withoutWatch: Bool = false, withoutEnd: Bool = false, withoutBinding: Bool = false, isReplica: Bool = false
    ) {
        self.folder = folder
        self.port = port
        self.name = name
        self.withoutLock = withoutLock
        self.withoutIntent = withoutIntent
        self.withoutWatch = withoutWatch
        self.withoutEnd = withoutEnd
        self.withoutBinding = withoutBinding
        self.isReplica = isReplica
    }

    /// The command-line arguments for these options.
    var arguments: [String] {
        let without = [
            (withoutLock, "lock"), (withoutIntent, "intent"), (withoutWatch, "watch"), (withoutEnd, "end"),
            (withoutBinding, "binding"),
        ]
        return ["worker", folder.path, "\(port)", "\(name)"] + without.filter(\.0).map { "--without-\($0.1)" }
            + (isReplica ? ["--replica"] : [])
    }
}

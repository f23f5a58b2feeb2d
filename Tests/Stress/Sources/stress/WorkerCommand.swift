// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
import Foundation
import ProcessStress

/// `stress worker`: a worker of `stress processes`.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    @Argument var folder: String
    @Argument var port: UInt16
    @Argument var name: String
    @Flag var withoutLock = false
    @Flag var withoutIntent = false
    @Flag var withoutWatch = false
    @Flag var withoutEnd = false
    @Flag var withoutBinding = false
    @Flag var replica = false

    func run() async throws {
        guard let name = ProcessName(name) else { throw ValidationError("A name looks like 3.17.") }
        let options = WorkerOptions(
            folder: URL(filePath: folder), port: port, name: name, withoutLock: withoutLock,
            withoutIntent: withoutIntent, withoutWatch: withoutWatch, withoutEnd: withoutEnd,
            withoutBinding: withoutBinding, isReplica: replica)
        try await Worker.make(options).run()
    }
}

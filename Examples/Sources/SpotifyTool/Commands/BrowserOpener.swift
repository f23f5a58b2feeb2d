// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Opens an address in the user's browser.
struct BrowserOpener: Sendable {
    #if os(macOS)
    private static let names = ["open"]
    #else
    private static let names = ["xdg-open"]
    #endif
    /// The folders of programs, separated by colons.
    var searchPath: String?

    /// Tries to open an address, which is also printed.
    ///
    /// - Returns: whether a program was started.
    @discardableResult
    func open(_ url: URL) -> Bool {
        for name in Self.names {
            for folder in (searchPath ?? "").split(separator: ":") {
                let program = "\(folder)/\(name)"
                guard FileManager.default.isExecutableFile(atPath: program) else { continue }
                return start(program, url)
            }
        }
        return false
    }

    /// Starts a program without a shell, without our input and output, and without the app's secret in its environment.
    private func start(_ program: String, _ url: URL) -> Bool {
        guard ["http", "https"].contains(url.scheme) else { return false }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [url.absoluteString]
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != ToolSettings.secretVariable }
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
        )
        return (try? process.run()) != nil
    }
}

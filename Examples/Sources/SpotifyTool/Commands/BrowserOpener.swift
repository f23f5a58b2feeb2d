// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation

/// Opens an address in the person's browser.
struct BrowserOpener: Sendable {
    #if os(macOS)
    private static let names = ["open"]
    #else
    private static let names = ["xdg-open"]
    #endif
    /// Where programs are, separated by colons.
    var searchPath: String?

    /// Tries to; says whether a program was started for it. The address is printed in any case.
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

    /// Not through a shell; what the browser says is not our output, and the app's secret is not for it.
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

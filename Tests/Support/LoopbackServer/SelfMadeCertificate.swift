// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Full
import Foundation

/// A self-signed certificate for 127.0.0.1, and its key.
package struct SelfMadeCertificate: Sendable {
    private let folder: URL

    /// PEM.
    package var file: String { folder.appending(path: "certificate").path }
    package var keyFile: String { folder.appending(path: "key").path }

    fileprivate init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", keyFile, "-out", file,
        ]
        (openssl.standardInput, openssl.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }

    fileprivate func remove() throws { try FileManager.default.removeItem(at: folder) }
}

/// Makes a certificate, and removes it after the body.
package func withSelfMadeCertificate<Result: Sendable>(
    body: (SelfMadeCertificate) async throws -> Result
) async throws -> Result {
    let certificate = try SelfMadeCertificate()
    defer { try? certificate.remove() }
    return try await body(certificate)
}
#endif

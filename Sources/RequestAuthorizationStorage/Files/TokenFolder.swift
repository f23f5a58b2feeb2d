// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// A folder for files with tokens, which only its owner may enter.
///
///     RestrictedFileTokenStore<MyToken>(client: "tool", account: "me", folder: .at("/var/lib/billing/tokens"))
public struct TokenFolder: Hashable, Sendable, Labelled {
    /// The path. Paths are bytes: texts that count as equal may name two folders.
    private let bytes: [UInt8]
    /// Whether the path comes from the environment.
    let isFromEnvironment: Bool

    /// A folder of this package in the platform's place for state.
    ///
    /// - Linux: `$XDG_STATE_HOME` if that is an absolute path, else `~/.local/state`.
    /// - Apple's platforms: Application Support.
    ///
    /// A home folder of another user, as with `sudo`, is refused with `TokenStoreError/Kind/notPrivate`.
    public static var `default`: TokenFolder { stateFolder(ProcessInfo.processInfo.environment) }

    /// A folder of your choice. It is made when a token is saved.
    ///
    /// - Parameter path: an absolute path. The folder should have no other files.
    public static func at(_ path: String) -> TokenFolder { TokenFolder(path: path, isFromEnvironment: false) }

    static func stateFolder(_ environment: [String: String]) -> TokenFolder {
        TokenFolder(path: "\(at(statePlace(environment)).path)/swift-request-authorization", isFromEnvironment: true)
    }

    private init(path: String, isFromEnvironment: Bool) {
        var path = path
        // The system follows a symbolic link that ends with a slash, so slashes are removed.
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        (bytes, self.isFromEnvironment) = (Array(path.utf8), isFromEnvironment)
    }

    /// An absolute path without a slash at its end. A relative path is refused on use.
    var path: String { String(decoding: bytes, as: UTF8.self) }
    @usableFromInline package var label: String { path }

    func folder(_ layer: any FileLayer) -> PrivateFolder {
        PrivateFolder(path: path, isFromEnvironment: isFromEnvironment, layer: layer)
    }

    // MARK: -

    private static func statePlace(_ environment: [String: String]) -> String {
        #if canImport(Darwin)
        return URL.applicationSupportDirectory.path(percentEncoded: false)
        #else
        // XDG Base Directory Specification: relative paths are invalid and must be ignored.
        if let place = environment["XDG_STATE_HOME"], place.hasPrefix("/") { return place }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state" }
        return "\(SystemFileLayer.registeredHome)/.local/state"
        #endif
    }
}

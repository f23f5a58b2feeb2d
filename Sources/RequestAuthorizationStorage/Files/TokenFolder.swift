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

/// A folder in which files with tokens are kept. Only its user may be able to enter it.
///
///     RestrictedFileTokenStore<MyToken>(client: "tool", account: "me", folder: .at("/var/lib/billing/tokens"))
public struct TokenFolder: Hashable, Sendable {
    /// An absolute path without a slash at its end; anything else is refused when it is used.
    let path: String
    /// Whether it is where the environment says.
    let isFromEnvironment: Bool

    /// The place for state on this platform, in a folder of this package.
    ///
    /// - Linux: `$XDG_STATE_HOME` if that is an absolute path, else `~/.local/state`.
    /// - Apple's platforms: Application Support.
    ///
    /// If it lies in the home of somebody else, as with `sudo`, it is refused with ``TokenStoreError/Kind/notPrivate``.
    public static var `default`: TokenFolder { stateFolder(ProcessInfo.processInfo.environment) }

    /// A folder of your own; it is made when something is saved.
    ///
    /// - Parameter path: absolute. Nothing else should be in the folder.
    public static func at(_ path: String) -> TokenFolder { TokenFolder(path: path, isFromEnvironment: false) }

    static func stateFolder(_ environment: [String: String]) -> TokenFolder {
        TokenFolder(path: "\(statePlace(environment))/swift-request-authorization", isFromEnvironment: true)
    }

    private init(path: String, isFromEnvironment: Bool) {
        var path = path
        // A symbolic link with a slash behind it is followed.
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        (self.path, self.isFromEnvironment) = (path, isFromEnvironment)
    }

    func folder(_ layer: any FileLayer) -> PrivateFolder {
        PrivateFolder(path: path, isFromEnvironment: isFromEnvironment, layer: layer)
    }

    // MARK: -

    private static func statePlace(_ environment: [String: String]) -> String {
        #if canImport(Darwin)
        return URL.applicationSupportDirectory.path(percentEncoded: false)
        #else
        // XDG Base Directory Specification: relative paths are invalid and to be ignored.
        if let place = environment["XDG_STATE_HOME"], place.hasPrefix("/") { return place }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state" }
        return "\(registeredHome())/.local/state"
        #endif
    }

    #if !canImport(Darwin)
    /// The home that the system knows of the user, for daemons without an environment.
    private static func registeredHome() -> String {
        var entry = passwd()
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir
        else { return "" }
        return String(cString: home)
    }
    #endif
}

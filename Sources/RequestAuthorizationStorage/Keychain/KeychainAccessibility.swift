// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// When an item of the Keychain can be read, and whether it leaves the device.
public enum KeychainAccessibility: Hashable, Sendable, CaseIterable {
    /// From the first unlock after a start on, on this device only: an app can refresh in the background, and no backup that
    /// is restored elsewhere holds a refresh token that has been spent since. The default.
    case afterFirstUnlockThisDeviceOnly
    /// From the first unlock after a start on; goes into encrypted backups and to new devices. Not for rotating refresh tokens.
    case afterFirstUnlock
    /// While the device is unlocked, on this device only. What runs in the background finds it locked.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked; goes into encrypted backups and to new devices. Not for rotating refresh tokens.
    case whenUnlocked

    /// ``afterFirstUnlockThisDeviceOnly``.
    public static let `default` = afterFirstUnlockThisDeviceOnly
}

/// Which of the Mac's two keychains; elsewhere there is one.
public enum KeychainKind: Hashable, Sendable {
    /// The keychain that apps have on every platform of Apple. On a Mac only signed programs with an application identifier or
    /// a keychain access group may use it. The default.
    case dataProtection
    /// The file-based login keychain of macOS, for tools that are not signed. It knows neither access groups nor
    /// accessibility, and may ask the person for leave. Choosing it is up to you: nothing falls back to it.
    case file
}

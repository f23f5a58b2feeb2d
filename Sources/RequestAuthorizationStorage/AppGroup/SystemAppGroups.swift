// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(Security)
import Foundation

// System calls only, because Linux does not compile this file: CI checks its types against declarations of these calls.
// `AppGroupItems` has the decisions.

/// https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)
struct SystemAppGroups: AppGroups {
    func container(of group: String) -> String? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.path(percentEncoded: false)
    }

    /// Without this entitlement a program that is not sandboxed gets a path as well, and writes outside the group.
    var entitledGroups: [String]? { SystemEntitlements.texts("com.apple.security.application-groups") }

    var keepsFiles: Bool { SystemFileLayer().keepsFiles }

    func excludeFromBackup(_ folder: String) {
        var folder = URL(filePath: folder, directoryHint: .isDirectory)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? folder.setResourceValues(values)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of an intent by who has exclusive access: nobody else changes it, so it need not be looked up twice.
///
/// Calls that hang may return after the access has been given up and even taken again. What they say counts for theirs alone.
struct KnownIntent {
    private weak var file: OpenFile?
    private var count = 0
    private var found: Data??

    /// Which access is held; `nil` for none, also if it was dropped without a word.
    var access: Int? { file == nil ? nil : count }

    /// The intent, or `nil` for none, if that is known.
    var intent: Data?? { file == nil ? nil : found }

    /// What keeps an access from others as long as somebody has it; `nil` if that is not held any more.
    func file(of access: Int) -> OpenFile? { access == count ? file : nil }

    /// - Parameter file: what is locked.
    /// - Returns: the number of the access.
    mutating func begin(_ file: OpenFile) -> Int {
        count += 1
        (self.file, found) = (file, nil)
        return count
    }

    mutating func end(_ access: Int) {
        if access == count { (file, found) = (nil, nil) }
    }

    mutating func learn(_ intent: Data?, in access: Int?) {
        if let access, access == self.access { found = .some(intent) }
    }

    mutating func forget() { found = nil }
}

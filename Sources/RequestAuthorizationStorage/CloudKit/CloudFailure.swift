// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// Why a call of CloudKit failed.
struct CloudFailure: Error, Sendable {
    /// `CKError.Code` (https://developer.apple.com/documentation/cloudkit/ckerror/code)
    struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        let rawValue: Int
        var description: String { "CKError \(rawValue)" }

        static let internalError = Self(rawValue: 1)
        /// Some records failed; which, the failure says.
        static let partialFailure = Self(rawValue: 2)
        static let networkUnavailable = Self(rawValue: 3)
        static let networkFailure = Self(rawValue: 4)
        static let badContainer = Self(rawValue: 5)
        static let serviceUnavailable = Self(rawValue: 6)
        static let requestRateLimited = Self(rawValue: 7)
        static let missingEntitlement = Self(rawValue: 8)
        /// Nobody is signed in to iCloud.
        static let notAuthenticated = Self(rawValue: 9)
        static let permissionFailure = Self(rawValue: 10)
        /// There is no such record.
        static let unknownItem = Self(rawValue: 11)
        /// The record was changed since it was read; the failure has what is there now.
        static let serverRecordChanged = Self(rawValue: 14)
        static let operationCancelled = Self(rawValue: 20)
        /// Another record of the request failed.
        static let batchRequestFailed = Self(rawValue: 22)
        static let zoneBusy = Self(rawValue: 23)
        static let badDatabase = Self(rawValue: 24)
        static let quotaExceeded = Self(rawValue: 25)
        static let zoneNotFound = Self(rawValue: 26)
        static let limitExceeded = Self(rawValue: 27)
        /// The person deleted the app's data in the settings.
        static let userDeletedZone = Self(rawValue: 28)
        static let managedAccountRestricted = Self(rawValue: 32)
        static let serverResponseLost = Self(rawValue: 34)
        static let accountTemporarilyUnavailable = Self(rawValue: 36)
    }

    let code: Code
    /// `CKErrorRetryAfterKey`, in seconds
    var retryAfter: Double?
    /// `CKRecordChangedErrorServerRecordKey`
    var serverRecord: CloudRecord?
    /// `CKPartialErrorsByItemIDKey`, by the name of the record
    var partial: [String: CloudFailure] = [:]

    /// What it means for one record.
    func about(_ name: String) -> CloudFailure {
        code == .partialFailure ? partial[name] ?? self : self
    }

    /// The record is not there, as opposed to: that cannot be known now.
    var meansAbsent: Bool { [.unknownItem, .zoneNotFound, .userDeletedZone].contains(code) }

    /// What to tell people. Whatever is not known counts as unavailable: that signs nobody out.
    var reported: TokenStoreError {
        switch code {
        case .networkUnavailable, .networkFailure, .serverResponseLost:
            TokenStoreError(.unavailable, "iCloud cannot be reached (\(code)); it is tried again")
        case .notAuthenticated, .accountTemporarilyUnavailable:
            TokenStoreError(.unavailable, "nobody is signed in to iCloud (\(code)); do that in Settings")
        case .badContainer, .missingEntitlement, .badDatabase:
            TokenStoreError(
                .unsuitable, "the app may not use this iCloud container (\(code)); see its entitlements")
        case .permissionFailure, .managedAccountRestricted:
            TokenStoreError(
                .unsuitable, "this iCloud account may not be used for it (\(code)); use KeychainTokenStore")
        case .quotaExceeded: TokenStoreError(.noSpace, "the person's iCloud storage is full; it is tried again")
        default:
            TokenStoreError(.unavailable, "iCloud could not do it now (\(code)\(wait)); it is tried again")
        }
    }

    private var wait: String { retryAfter.map { ", in \(Int($0.rounded(.up))) s at the earliest" } ?? "" }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

/// An error of CloudKit.
struct CloudFailure: Error, Sendable {
    /// `CKError.Code` (https://developer.apple.com/documentation/cloudkit/ckerror/code)
    struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        let rawValue: Int
        var description: String { "CKError \(rawValue)" }

        static let internalError = Self(rawValue: 1)
        /// Some records failed; `partial` has the failures.
        static let partialFailure = Self(rawValue: 2)
        static let networkUnavailable = Self(rawValue: 3)
        static let networkFailure = Self(rawValue: 4)
        static let badContainer = Self(rawValue: 5)
        static let missingEntitlement = Self(rawValue: 8)
        static let notAuthenticated = Self(rawValue: 9)
        static let permissionFailure = Self(rawValue: 10)
        /// The record does not exist.
        static let unknownItem = Self(rawValue: 11)
        /// The request is malformed, or the schema of the production environment lacks the type of the record.
        static let invalidArguments = Self(rawValue: 12)
        /// The record has changed since it was read; `serverRecord` has the current one.
        static let serverRecordChanged = Self(rawValue: 14)
        static let operationCancelled = Self(rawValue: 20)
        static let badDatabase = Self(rawValue: 24)
        static let quotaExceeded = Self(rawValue: 25)
        static let zoneNotFound = Self(rawValue: 26)
        /// The user deleted the app's data in Settings.
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
    /// The domain and the code of an error that is not CloudKit's. It has the code `internalError` then.
    var foreign: String?
    /// `CKPartialErrorsByItemIDKey`, by the name of the record
    var partial: [String: CloudFailure] = [:]

    /// The failure of one record.
    func about(_ name: String) -> CloudFailure { code == .partialFailure ? partial[name] ?? self : self }

    /// Whether the record is known not to exist.
    var meansAbsent: Bool { [.unknownItem, .zoneNotFound, .userDeletedZone].contains(code) }

    /// The error to throw. An unknown code counts as unavailable, which does not sign out.
    var reported: TokenStoreError {
        switch code {
        case .networkUnavailable, .networkFailure, .serverResponseLost:
            TokenStoreError(.unavailable, "iCloud cannot be reached (\(code)); it is tried again")
        case .notAuthenticated, .accountTemporarilyUnavailable:
            TokenStoreError(.unavailable, "this device is not signed in to iCloud (\(code)); sign in in Settings")
        case .badContainer, .missingEntitlement, .badDatabase:
            TokenStoreError(.unsuitable, "the app may not use this iCloud container (\(code)); check its entitlements")
        case .invalidArguments:
            TokenStoreError(
                .unsuitable, "iCloud refuses the record (\(code)); deploy the container's schema to production")
        case .permissionFailure, .managedAccountRestricted:
            TokenStoreError(.unsuitable, "this iCloud account may not store tokens (\(code)); use KeychainTokenStore")
        case .quotaExceeded: TokenStoreError(.noSpace, "the user's iCloud storage is full; free some space")
        default:
            TokenStoreError(.unavailable, "iCloud failed (\(foreign ?? code.description)\(wait)); it is tried again")
        }
    }

    private var wait: String { retryAfter.map { ", retry after \(Int($0.rounded(.up))) s" } ?? "" }
}

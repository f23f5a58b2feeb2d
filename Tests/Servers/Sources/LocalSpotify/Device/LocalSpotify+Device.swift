// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization

extension LocalSpotify {
    /// Answers the page for devices for the user, without a browser.
    ///
    /// - Parameter userCode: the code that the device shows.
    /// - Throws: ``Unanswerable`` if the code is not known, was used or is too old.
    public func answer(deviceWith userCode: String, _ decision: Decision = .allow) throws {
        guard accounts.devices.answer(userCode, isAllowed: decision == .allow, at: clock.now) else {
            throw Unanswerable(description: "This code is not known, was used, or is too old.")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Hummingbird

extension Request {
    /// The value of a query parameter, if the parameter occurs exactly once.
    func value(of parameter: String) -> String? {
        let values = uri.queryParameters.filter { $0.key == parameter }
        return values.count == 1 ? values.first.map { String($0.value) } : nil
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

#if Web
import Hummingbird
import Logging
import RequestAuthorizationSpotify
import ServiceLifecycle
import UnixSignals

extension SpotifyWebSite {
    /// The services that run the site until it is stopped.
    func services(
        host: String = "127.0.0.1", port: Int = 0, endedBy signals: [UnixSignal] = [],
        started: @escaping @Sendable (_ address: String) async -> Void
    ) -> ServiceGroup {
        let application = application(host: host, port: port, started: started)
        return ServiceGroup(
            configuration: .init(
                services: [Serving(site: self, application: application)], gracefulShutdownSignals: signals,
                logger: application.logger))
    }

    // sample: serving
    /// Runs the server, and ends the providers after the last answer is sent.
    private struct Serving<Application: ApplicationProtocol>: Service {
        let site: SpotifyWebSite
        let application: Application

        func run() async throws {
            try await withGracefulShutdownHandler {
                try await application.run()  // returns when all received requests are answered
            } onGracefulShutdown: {
                site.accounts.stopBackgroundRefresh()
            }
            do {
                try await site.accounts.shutdown(within: .seconds(10))  // a token that is still unsaved then is lost
            } catch {
                application.logger.warning("A session may be lost: \(type(of: error))")
            }
        }
    }
    // end sample
}
#endif

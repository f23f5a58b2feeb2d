// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import Foundation
import RequestAuthorization
import Testing

@testable import RequestAuthorizationOAuth

/// The rules of consent, in every order of events.
@Suite struct ConsentStateTests {
    /// What the world around the state knows, to check it against.
    private struct World: Hashable {
        var state = ConsentState()
        /// Pages that are open now.
        var pages = 0
        /// The servers of the tokens, by session number.
        var issuers: [String] = []
        /// Sign-ins that nobody asked for, since the program asked last.
        var unasked = 0
        var stepUps = 0
        var hasDenied = false
        var listed = "as"
    }

    private enum Event: CaseIterable {
        case refused, needsScopes, needsLogIn, oldRefused, signInAsked, signedIn, denied, failed, moved, movedBack,
            adopted
    }

    private func run(_ event: Event, _ world: inout World) {
        let number = world.state.number
        func needs(_ reason: ResourceSignIn.Reason, sentIn number: Int?) {
            let wasSigningIn = world.state.isSigningIn
            let effect = world.state.needs(reason, sentIn: number, at: .seconds(1))
            #expect((effect == .join) <= wasSigningIn)
            guard effect == .begin else { return }
            #expect(!world.hasDenied, "asked again after a denial")
            world.state.asksPerson()
            (world.pages, world.unasked) = (world.pages + 1, world.unasked + 1)
            if reason == .scopes || reason == .strongerLogIn { world.stepUps += 1 }
        }
        switch event {
        case .refused:
            if let number, world.state.mayRefresh(number) {
                // Never an old refresh token to a new server.
                #expect(
                    world.issuers[number - 1] == world.state.issuer
                        && world.issuers[number - 1] == world.listed)
            } else {
                needs(number == nil ? .first : .otherServer, sentIn: number)
            }
        case .needsScopes: needs(.scopes, sentIn: number)
        case .needsLogIn: needs(.strongerLogIn, sentIn: number)
        case .oldRefused:
            guard let number, number > 1 else { return }
            #expect(!world.state.mayRefresh(number - 1))
            #expect(world.state.needs(.scopes, sentIn: number - 1, at: .seconds(1)) == .retry)
        case .signInAsked:
            world.hasDenied = false
            guard world.state.asked() == .begin else { return }
            (world.pages, world.unasked, world.stepUps) = (world.pages + 1, 0, 0)
        case .signedIn, .denied, .failed:
            guard world.pages > 0 else { return }
            world.pages -= 1
            switch event {
            case .signedIn:
                world.state.begin(world.listed)
                world.state.ended()
                world.issuers.append(world.listed)
            case .denied:
                world.state.ended(byDenial: true)
                world.hasDenied = true
            default: world.state.ended()
            }
        case .moved, .movedBack:
            world.listed = event == .moved ? "as2" : "as"
            world.state.listed([world.listed])
        case .adopted:
            world.state.begin(world.listed)
            world.issuers.append(world.listed)
        }
        #expect(world.pages <= 1, "two pages")
        #expect(world.unasked <= 3, "more than three sign-ins")
        #expect(world.stepUps <= 1, "two step-ups in ten minutes")
        #expect(world.state.isSigningIn == (world.pages == 1))
    }

    @Test func `in no order are there two pages, four sign-ins, or a refresh at another server`() {
        var seen: Set<World> = [World()]
        var edge = seen
        for _ in 0..<7 {
            var next: Set<World> = []
            for world in edge {
                for event in Event.allCases {
                    var world = world
                    run(event, &world)
                    if seen.insert(world).inserted { next.insert(world) }
                }
            }
            edge = next
        }
        #expect(seen.count > 1000)
    }

    @Test func `after ten minutes a step-up may be asked for again`() {
        var state = ConsentState()
        state.begin("as")
        #expect(state.needs(.scopes, sentIn: 1, at: .seconds(0)) == .begin)
        state.asksPerson()
        state.begin("as")
        state.ended()
        #expect(state.needs(.strongerLogIn, sentIn: 2, at: .seconds(600)) == .answer)
        #expect(state.needs(.scopes, sentIn: 2, at: .seconds(601)) == .begin)
    }

    @Test(arguments: [(true, Duration.seconds(3600)), (false, .seconds(60))])
    func `three sign-ins that nobody asked for begin within a period`(asks: Bool, period: Duration) {
        var state = ConsentState()
        for _ in 0..<3 {
            #expect(state.needs(.first, sentIn: nil, at: .zero) == .begin)
            if asks { state.asksPerson() }
            state.ended()
        }
        #expect(state.needs(.first, sentIn: nil, at: period) == .answer)
        #expect(state.needs(.first, sentIn: nil, at: period + .seconds(1)) == .begin)
    }

    @Test func `a request that was sent before the session goes out again`() {
        var state = ConsentState()
        #expect(state.needs(.first, sentIn: nil, at: .zero) == .begin)
        #expect(state.needs(.first, sentIn: nil, at: .zero) == .join)
        state.begin("as")
        state.ended()
        #expect(state.needs(.first, sentIn: nil, at: .zero) == .retry)
        #expect(state.mayRefresh(1) && !state.mayRefresh(0))
        state.listed(["as/"])
        #expect(!state.mayRefresh(1))
        state.listed(["as2", "as"])
        #expect(state.mayRefresh(1))
    }
}

/// Whether the first implies the second.
private func <= (first: Bool, second: Bool) -> Bool { !first || second }

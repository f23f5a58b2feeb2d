// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

// A package without upcoming features, as most packages are. `.ci/check-consumers` copies it out of the checkout, builds it
// in the language modes of Swift 6 and Swift 5, and runs it. It also checks that `Conformances.swift` has a type for each
// public protocol of the modules that need no trait, and that `Calls.swift` calls each public function that takes a closure.
// prints: Bearer closure
// prints: 200
// prints: Bearer custom
// prints: com.example.app:/callback?code=1&state=s

let calls = Calls()
try await calls.provide()
try await calls.refresh()
try await calls.test()
try await calls.store()
try await calls.signIn()

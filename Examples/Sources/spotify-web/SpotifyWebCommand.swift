// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the swift-request-authorization authors

import ArgumentParser
#if Web
import Hummingbird
#endif

@main
struct SpotifyWebCommand: ParsableCommand {}

// SPDX-License-Identifier: MIT
/// What `EventLoops` declares on Linux and has not on a Mac yet: as much of it as the other declarations need.
struct Poller: ~Copyable, Sendable {
    struct Events {}

    init?() { nil }
}

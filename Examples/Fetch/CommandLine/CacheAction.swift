// SPDX-License-Identifier: MIT
/// What the command does with the cache instead of fetching.
enum CacheAction: Equatable {
    case info
    /// Prints a line for each entry.
    case list
    /// Reads each entry, and names those that are damaged.
    case verify(removesDamages: Bool)
    case trim(byteCount: Int)
    case clear
}

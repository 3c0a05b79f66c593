// SPDX-License-Identifier: MIT
/// What the command does with the cache instead of fetching.
enum CacheAction: Equatable {
    case info
    case trim(byteCount: Int)
    case clear
}

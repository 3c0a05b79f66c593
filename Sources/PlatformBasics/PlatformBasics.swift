// SPDX-License-Identifier: MIT
// What files import in place of Foundation: URL, Data and Date, and the C library, on each platform under one name.
//
// On Linux the whole of Foundation brings Unicode's tables along, which are 40 MB of a program that is linked
// statically. A target that imports this module does without.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Musl)
@_exported public import Musl
#else
@_exported public import Glibc
#endif

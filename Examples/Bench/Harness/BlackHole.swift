// SPDX-License-Identifier: MIT
import CBenchBaselines

/// Uses `value` in a way that the optimiser cannot see, so that the work that makes it is not removed.
@inline(__always)
func blackHole<Value>(_ value: Value) {
    // The pointer is not read and does not outlive the call.
    unsafe withUnsafePointer(to: value) { unsafe bench_black_hole($0) }
}

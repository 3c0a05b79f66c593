import CBenchBaselines

/// Uses `value` where the optimiser cannot see what for, so that making it is not optimised away.
@inline(__always)
func blackHole<Value>(_ value: Value) {
    // The pointer is not looked at and does not outlive the call.
    unsafe withUnsafePointer(to: value) { unsafe bench_black_hole($0) }
}

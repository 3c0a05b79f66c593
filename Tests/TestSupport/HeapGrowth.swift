// SPDX-License-Identifier: MIT
internal import CTestSupport

/// What the allocator gives for what `make` returns, in bytes.
///
/// It counts what every thread takes meanwhile, so it belongs in a process of its own.
public func heapGrowth<Value>(of make: () throws -> Value) rethrows -> (value: Value, byteCount: Int) {
    let before = swi_heap_bytes()
    let value = try make()
    return (value, Int(swi_heap_bytes()) - Int(before))
}

/// The same for what is made step by step.
public func heapGrowth<Value>(of make: () async throws -> Value) async rethrows -> (value: Value, byteCount: Int) {
    let before = swi_heap_bytes()
    let value = try await make()
    return (value, Int(swi_heap_bytes()) - Int(before))
}

/// Whether the allocator is the system's. The thread sanitizer brings one of its own, which gives more.
public let hasSystemAllocator: Bool = {
    #if THREAD_SANITIZER
    false
    #else
    true
    #endif
}()

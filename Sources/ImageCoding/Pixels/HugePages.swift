// SPDX-License-Identifier: MIT
#if os(Linux)
import Glibc

/// Asks the kernel for huge pages below a large bitmap: page faults are a quarter of the time of a large decode.
enum HugePages {
    static func advise(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        guard memory.count >= 4 << 20, let start = memory.baseAddress else { return }
        let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
        let address = Int(bitPattern: start)
        let first = (address + page - 1) & ~(page - 1)
        let length = (address + memory.count - first) & ~(page - 1)
        // Advice about whole pages inside the buffer. It changes no byte, and its failure has no effect.
        _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: first), length, MADV_HUGEPAGE)
    }
}
#else
/// Other systems choose their page sizes themselves.
enum HugePages {
    static func advise(_ memory: UnsafeMutableBufferPointer<UInt8>) {}
}
#endif

// SPDX-License-Identifier: MIT
import Foundation

/// A full pipe: a process that writes to it waits forever.
final class FullPipe {
    private let pipe = Pipe()

    var writing: FileHandle { pipe.fileHandleForWriting }

    init() {
        let descriptor = writing.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        while unsafe write(descriptor, [0 as UInt8], 1) == 1 {}
        _ = fcntl(descriptor, F_SETFL, flags)
    }
}

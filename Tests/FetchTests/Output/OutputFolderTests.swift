// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import fetch

struct OutputFolderTests {
    private let workplace = Result { try Workplace() }

    @Test func `missing folders are made with the first file, which is complete`() async throws {
        let workplace = try workplace.get()
        let path = workplace.folder.path + "/a/b/c"
        let folder = try OutputFolder(path)
        expect(!FileManager.default.fileExists(atPath: workplace.folder.path + "/a"))
        try await expectEqual(folder.write([1, 2, 3], as: "x.png"), path + "/x.png")
        try expectEqual(Data(contentsOf: URL(filePath: path + "/x.png")), Data([1, 2, 3]))
        expectEqual(workplace.names(in: URL(filePath: path)), ["x.png"])
        // A slash at the end is not doubled.
        try await expectEqual(OutputFolder(path + "/").write([1], as: "y.png"), path + "/y.png")
    }

    @Test func `a file with the same bytes stays, and one with other bytes is replaced only when that is wanted`()
        async throws
    {
        let path = try workplace.get().folder.path + "/a"
        let read = { try Data(contentsOf: URL(filePath: path + "/x.png")) }
        _ = try await OutputFolder(path).write([1, 2], as: "x.png")
        try await expectEqual(OutputFolder(path).write([1, 2], as: "x.png"), path + "/x.png")
        // What was compared is closed.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        expect(!open.isEmpty && !open.contains { $0.hasSuffix(path + "/x.png") })
        for other in [[1, 3], [1], []] as [[UInt8]] {
            let error = await expectError(Outcome.Failure.self) {
                try await OutputFolder(path).write(other, as: "x.png")
            }
            expectEqual(error?.code, "fileExists")
            expectEqual(error?.message.contains("--force"), true)
            try expectEqual(read(), Data([1, 2]))
        }
        _ = try await OutputFolder(path, overwrites: true).write([3], as: "x.png")
        try expectEqual(read(), Data([3]))
    }

    @Test func `two different files of one run never share a name`() async throws {
        let workplace = try workplace.get()
        let folder = try OutputFolder(workplace.pictures.path, overwrites: true)
        _ = try await folder.write([1], as: "x.png")
        let error = await expectError(Outcome.Failure.self) { try await folder.write([2], as: "x.png") }
        expectEqual(error?.code, "fileExists")
        expectEqual(error?.message.contains("{hash}"), true)
        expectEqual(workplace.names(in: workplace.pictures), ["x.png"])
    }

    @Test func `of two writers of one name with other bytes, one fails`() async throws {
        let path = try workplace.get().folder.path + "/a"
        let folders = try [OutputFolder(path), OutputFolder(path)]
        // Their temporary files have different numbers.
        _ = try await folders[1].write([0], as: "first.png")
        for round in 0..<200 {
            let writing = folders.indices.map { index in
                Probe { try await folders[index].write([UInt8(index)], as: "\(round).png") }
            }
            var written = 0
            for probe in writing { if (try? await probe.finish()) != nil { written += 1 } }
            expect(written, <=, 1)
        }
    }

    @Test func `a device is written to and stays one, and a link that leads nowhere is not replaced`() async throws {
        try await expectEqual(OutputFolder("/dev/").write([1], as: "null"), "/dev/null")
        var status = stat()
        expectEqual(unsafe stat("/dev/null", &status), 0)
        expectEqual(status.st_mode & S_IFMT, S_IFCHR)
        let path = try workplace.get().folder.path
        try FileManager.default.createSymbolicLink(atPath: path + "/x.png", withDestinationPath: "nowhere")
        await expectError(Outcome.Failure.self) { try await OutputFolder(path).write([1], as: "x.png") }
        try expectEqual(FileManager.default.destinationOfSymbolicLink(atPath: path + "/x.png"), "nowhere")
    }

    @Test func `a stream that another process has made non-blocking is written whole`() async {
        let (pipe, bytes) = (Pipe(), ImageFactory.randomBytes(count: 1_000_000, seed: 1))
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // Writing blocks, so it has a thread of its own.
        Thread.detachNewThread {
            try? StandardStream(descriptor: descriptor).write(bytes)
            try? pipe.fileHandleForWriting.close()
        }
        let read = await Task.detached { pipe.fileHandleForReading.readDataToEndOfFile() }.value
        expect(read == Data(bytes))
    }

    @Test func `a path that cannot be a folder is refused at once`() throws {
        let file = try workplace.get().folder.path + "/file"
        try Data().write(to: URL(filePath: file))
        #expect(throws: SystemError(number: ENOTDIR)) { try OutputFolder(file) }
        #expect(throws: SystemError(number: ENOTDIR)) { try OutputFolder(file + "/below") }
    }

    @Test
    func `a file that cannot be written leaves nothing behind, and a removed folder is an error for each picture`()
        async throws
    {
        let workplace = try workplace.get()
        let folder = try OutputFolder(workplace.pictures.path)
        try FileManager.default.createDirectory(
            at: workplace.pictures.appending(path: "x.png"), withIntermediateDirectories: true)
        let error = await expectError(Outcome.Failure.self) { try await folder.write([1], as: "x.png") }
        expectEqual(error?.code, "cannotWrite")
        try expect(required(error).message.contains("x.png: Is a directory"))
        expectEqual(workplace.names(in: workplace.pictures), ["x.png"])
        _ = try await folder.write([0], as: "first.png")
        try FileManager.default.removeItem(at: workplace.pictures)
        await expectError(Outcome.Failure.self) { try await folder.write([1], as: "y.png") }
    }

    @Test func `a cancelled task writes nothing`() async throws {
        let workplace = try workplace.get()
        let folder = try OutputFolder(workplace.pictures.path)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await folder.write([1], as: "x.png")
        }
        await expectError(CancellationError.self) { try await task.value }
        expect(workplace.names(in: workplace.pictures).isEmpty)
    }

    @Test func `partial files of ended processes are removed, and nothing else`() async throws {
        let workplace = try workplace.get()
        let (folder, living) = (workplace.pictures, getppid())
        let stays = [".fetch-\(living)-1.part", ".fetch-.part", ".fetch-x-1.part", ".fetch--1-1.part", "other.part"]
        let goes = [".fetch-\(getpid())-1.part", ".fetch-\(Int32.max)-1.part"]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in stays + goes { try Data().write(to: folder.appending(path: name)) }
        _ = try await OutputFolder(folder.path).write([1], as: "x.png")
        expectEqual(workplace.names(in: folder), (stays + ["x.png"]).sorted())
    }

    @Test func `a partial file of another user's process stays`() async {
        await #expect(processExitsWith: .success) {
            // The superuser may signal every process.
            if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
            let workplace = try Workplace()
            let partial = workplace.folder.path + "/.fetch-1-1.part"
            try Data().write(to: URL(filePath: partial))
            _ = try await OutputFolder(workplace.folder.path).write([1], as: "x.png")
            try #require(FileManager.default.fileExists(atPath: partial))
        }
    }
}

import Foundation
import Testing

@testable import fetch

struct OutputFolderTests {
    private let workplace = Result { try Workplace() }

    @Test func `missing folders are made, and a file is complete`() async throws {
        let workplace = try workplace.get()
        let path = workplace.folder.path + "/a/b/c"
        let folder = try OutputFolder(path)
        #expect(try await folder.write([1, 2, 3], as: "x.png") == path + "/x.png")
        #expect(try Data(contentsOf: URL(filePath: path + "/x.png")) == Data([1, 2, 3]))
        #expect(workplace.names(in: URL(filePath: path)) == ["x.png"])
    }

    @Test func `a slash at the end is not doubled, and a file is replaced`() async throws {
        let path = try workplace.get().folder.path + "/a/"
        let folder = try OutputFolder(path)
        _ = try await folder.write([1], as: "x.png")
        #expect(try await folder.write([2], as: "x.png") == path + "x.png")
        #expect(try Data(contentsOf: URL(filePath: path + "x.png")) == Data([2]))
    }

    @Test func `a path that cannot be a folder is refused at once`() throws {
        let file = try workplace.get().folder.path + "/file"
        try Data().write(to: URL(filePath: file))
        #expect(throws: SystemError(number: ENOTDIR)) { try OutputFolder(file) }
        #expect(throws: SystemError(number: ENOTDIR)) { try OutputFolder(file + "/below") }
        #expect(throws: SystemError(number: ENOENT)) { try OutputFolder("/proc/nowhere/below") }
    }

    @Test func `a file that cannot be written leaves nothing behind`() async throws {
        let workplace = try workplace.get()
        let folder = try OutputFolder(workplace.pictures.path)
        try FileManager.default.createDirectory(
            at: workplace.pictures.appending(path: "x.png"), withIntermediateDirectories: false)
        let error = await #expect(throws: Outcome.Failure.self) { _ = try await folder.write([1], as: "x.png") }
        #expect(error?.code == "cannotWrite")
        #expect(try #require(error).message.contains("x.png: Is a directory"))
        #expect(workplace.names(in: workplace.pictures) == ["x.png"])
    }

    @Test func `a removed folder is an error for each picture`() async throws {
        let workplace = try workplace.get()
        let folder = try OutputFolder(workplace.pictures.path)
        try FileManager.default.removeItem(at: workplace.pictures)
        await #expect(throws: Outcome.Failure.self) { _ = try await folder.write([1], as: "x.png") }
    }

    @Test func `a cancelled task writes nothing`() async throws {
        let workplace = try workplace.get()
        let folder = try OutputFolder(workplace.pictures.path)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await folder.write([1], as: "x.png")
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(workplace.names(in: workplace.pictures).isEmpty)
    }

    @Test func `partial files of ended processes are removed, and nothing else`() throws {
        let workplace = try workplace.get()
        let (folder, living) = (workplace.pictures, getppid())
        let stays = [".fetch-\(living)-1.part", ".fetch-.part", ".fetch-x-1.part", ".fetch--1-1.part", "other.part"]
        let goes = [".fetch-\(getpid())-1.part", ".fetch-\(Int32.max)-1.part"]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in stays + goes { try Data().write(to: folder.appending(path: name)) }
        _ = try OutputFolder(folder.path)
        #expect(workplace.names(in: folder) == stays.sorted())
    }
}

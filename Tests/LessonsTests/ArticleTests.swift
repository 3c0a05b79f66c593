// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import lessons

/// The article about the course quotes its code and its timelines word for word.
struct ArticleTests {
    /// A fenced block, and the lesson or the mistake to whose section it belongs. The overview has none.
    private struct Quotation {
        let lesson: Lesson?
        let isCode: Bool
        let lines: [String]
    }

    @Test func `code is quoted from the lesson's file`() throws {
        for quotation in try quotations() where quotation.isCode {
            let file = (quotation.lesson?.after ?? Step.all[0]).path
            let code = quotation.lines.joined().filter { !$0.isWhitespace }
            expect(try text(of: file).filter { !$0.isWhitespace }.contains(code), "\(file)")
            for line in quotation.lines { expect(line.count, <=, 75) }
        }
    }

    @Test func `each lesson and one mistake quote the timeline of their failure`() throws {
        let timelines = try quotations().filter { !$0.isCode }
        let lessons = timelines.compactMap(\.lesson)
        expectEqual(lessons.map(\.name), Lesson.all.map(\.name) + [Lesson.mistakes[3].name])
        for (lesson, timeline) in zip(lessons, timelines) {
            let lines = lesson.play(lesson.before, seed: lesson.failingSeed).timeline.lines.map(trimmed)
            for line in timeline.lines { expect(lines.contains(trimmed(line)), "\(lesson)") }
        }
    }

    @Test func `the article has at most 2,000 words, and a section for each lesson`() throws {
        let article = try article()
        expect(article.split(whereSeparator: \.isWhitespace).count, <=, 2_000)
        let titles = article.components(separatedBy: "\n").filter { $0.hasPrefix("## ") }.map {
            $0.dropFirst(3).lowercased()
        }
        let lessons = Lesson.all.map(\.title)
        expectEqual(titles.filter(lessons.contains), lessons)
    }

    @Test func `commands and files that the article names exist`() throws {
        let names = try article().components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let commands = names.filter { $0.hasPrefix("swift run ") }
        expect(commands.count, >=, 4)
        for command in commands {
            _ = try Options(
                parsing: command.split(separator: " ").drop { $0 != "lessons" }.dropFirst().map(String.init))
        }
        let files = names.filter { $0.contains("/") && !$0.contains("\n") && !$0.contains(" ") }
        expect(files.count, >=, 8)
        for file in files { expect(try url(of: file).checkResourceIsReachable()) }
    }

    private func quotations() throws -> [Quotation] {
        try article().components(separatedBy: "\n## ").dropFirst().flatMap { section in
            let title = section.prefix { $0 != "\n" }.lowercased()
            let lesson = Lesson.all.first { $0.title == title } ?? (title == "overview" ? nil : Lesson.mistakes[3])
            return section.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map { _, block in
                let lines = block.components(separatedBy: "\n")
                return Quotation(
                    lesson: lesson, isCode: lines[0] == "swift", lines: lines.dropFirst().filter { !$0.isEmpty })
            }
        }
    }

    private func article() throws -> String {
        try text(of: "Sources/TaskCoordination/TaskCoordination.docc/FromATaskDictionaryToInFlight.md")
    }

    private func trimmed(_ line: String) -> String { line.trimmingCharacters(in: .whitespaces) }

    private func text(of file: String) throws -> String {
        try String(contentsOf: url(of: file), encoding: .utf8)
    }

    private func url(of file: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(file)")
    }
}

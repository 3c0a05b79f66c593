// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import lessons

/// The article about the course quotes its code and its timelines word for word.
struct ArticleTests {
    /// A fenced block, and the lesson to whose section it belongs. The overview's is 0.
    private struct Quotation {
        let lesson: Int
        let isCode: Bool
        let lines: [String]
    }

    @Test func `code is quoted from the lesson's file`() throws {
        for quotation in try quotations() where quotation.isCode {
            let file = "Examples/Lessons/\(Step.all[quotation.lesson].file)"
            let lines = Set(try text(of: file).components(separatedBy: "\n").map(trimmed))
            for line in quotation.lines { #expect(lines.contains(line), "\(file)") }
        }
    }

    @Test func `each lesson quotes the timeline of its failure`() throws {
        let timelines = try quotations().filter { !$0.isCode }
        expectEqual(timelines.map(\.lesson), [1, 2, 3, 4, 5, 6])
        for quotation in timelines {
            let lesson = Lesson.all[quotation.lesson - 1]
            let lines = lesson.play(lesson.before, seed: lesson.failingSeed).timeline.lines.map(trimmed)
            for line in quotation.lines { #expect(lines.contains(line), "lesson \(lesson.number)") }
        }
    }

    @Test func `the article has at most 1,200 words, and a section for each lesson`() throws {
        let article = try article()
        #expect(article.split(whereSeparator: \.isWhitespace).count <= 1_200)
        let titles = article.components(separatedBy: "\n").filter { $0.hasPrefix("## ") }.map {
            $0.dropFirst(3).lowercased()
        }
        expectEqual(titles.dropFirst().dropLast(), Lesson.all.map(\.title)[...])
    }

    private func quotations() throws -> [Quotation] {
        try article().components(separatedBy: "\n## ").dropFirst().enumerated().flatMap { number, section in
            section.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map { _, block in
                let lines = block.components(separatedBy: "\n")
                return Quotation(
                    lesson: number, isCode: lines[0] == "swift",
                    lines: lines.dropFirst().map(trimmed).filter { !$0.isEmpty })
            }
        }
    }

    private func article() throws -> String {
        try text(of: "Sources/TaskCoordination/TaskCoordination.docc/FromATaskDictionaryToInFlight.md")
    }

    private func trimmed(_ line: String) -> String { line.trimmingCharacters(in: .whitespaces) }

    private func text(of file: String) throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: tests.appending(path: "../../\(file)"), encoding: .utf8)
    }
}

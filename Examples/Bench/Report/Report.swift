// SPDX-License-Identifier: MIT
import Foundation
import Locks

/// Prints rows as they come, and counts them.
final class Report: Sendable {
    private let asJSON: Bool
    private let counts = Mutex((all: 0, above: 0))

    init(asJSON: Bool) { self.asJSON = asJSON }

    func begin() {
        guard !asJSON else { return }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        print("\(cores) cores; medians of interleaved rounds; ratio = measured / baseline of a round, below 1: faster")
        printLine("row", "clock", ["measured", "baseline"], ["ratio", "ceiling"], " ", "against (note)")
    }

    /// Tells how many rows were above their ceilings. Times depend on what else the machine does, so they decide nothing.
    func end() {
        guard !asJSON else { return }
        let (all, above) = counts.withLock { $0 }
        print("\(above) of \(all) ratios above their ceiling, marked with !")
    }

    func show(_ row: Row) {
        counts.withLock { $0 = ($0.all + 1, $0.above + (row.isAbove ? 1 : 0)) }
        asJSON ? showObject(row) : showLine(row)
        fflush(nil)
    }

    private func showLine(_ row: Row) {
        let note = row.note.isEmpty ? "" : " (\(row.note))"
        printLine(
            row.name, row.clock.rawValue, [row.value, row.baselineValue].map { Self.text($0, row.clock) },
            [Self.decimal(row.ratio, 2), Self.decimal(row.ceiling, 2)], row.isAbove ? "!" : " ", row.baseline + note)
    }

    private func printLine(
        _ name: String, _ clock: String, _ values: [String], _ ratios: [String], _ mark: String, _ against: String
    ) {
        let columns = [name.padded(31), clock.padded(5)] + values.map { $0.aligned(10) } + ratios.map { $0.aligned(7) }
        print((columns + [mark, against]).joined(separator: " "))
    }

    private func showObject(_ row: Row) {
        let isTime = row.clock != .bytes
        let object = RowObject(
            row: row.name, clock: row.clock.rawValue, nanoseconds: isTime ? row.value * 1e9 : nil,
            bytes: isTime ? nil : row.value, baseline: row.baseline,
            baselineNanoseconds: isTime ? row.baselineValue * 1e9 : nil,
            baselineBytes: isTime ? nil : row.baselineValue,
            ratio: row.ratio, ceiling: row.ceiling, isAbove: row.isAbove, note: row.note)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(object) else { return }
        print(String(decoding: data, as: UTF8.self))
    }

    private static func text(_ value: Double, _ clock: Row.Clock) -> String {
        clock == .bytes ? decimal(value / 1024, 1) + " KiB" : time(value)
    }

    /// Three to four digits and a unit.
    static func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<1e-6: decimal(seconds * 1e9, 1) + " ns"
        case ..<1e-3: decimal(seconds * 1e6, 2) + " µs"
        case ..<1: decimal(seconds * 1e3, 2) + " ms"
        default: decimal(seconds, 2) + " s "
        }
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
        value.formatted(.number.precision(.fractionLength(places)).grouping(.never).locale(Locale(identifier: "en_US")))
    }
}

private struct RowObject: Encodable {
    let row: String
    let clock: String
    let nanoseconds: Double?
    let bytes: Double?
    let baseline: String
    let baselineNanoseconds: Double?
    let baselineBytes: Double?
    let ratio: Double
    let ceiling: Double
    let isAbove: Bool
    let note: String
}

extension String {
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    fileprivate func aligned(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

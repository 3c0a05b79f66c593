// SPDX-License-Identifier: MIT
import Foundation

/// Prints rows as they come.
struct Report: Sendable {
    let asJSON: Bool

    func begin() {
        guard !asJSON else { return }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        print("\(cores) cores; medians of interleaved rounds; ratio = measured / baseline of a round, below 1: faster")
        let heads = [
            "row".padded(31), "clock".padded(5), "measured".aligned(10), "baseline".aligned(10), "ratio".aligned(7),
        ]
        print((heads + [" against (note)"]).joined(separator: " "))
    }

    func show(_ row: Row) {
        asJSON ? showObject(row) : showLine(row)
        fflush(nil)
    }

    private func showLine(_ row: Row) {
        let fields = [
            row.name.padded(31), row.clock.rawValue.padded(5), Self.text(row.value, row.clock).aligned(10),
            Self.text(row.baselineValue, row.clock).aligned(10), Self.decimal(row.ratio, 2).aligned(7),
        ]
        let note = row.note.isEmpty ? "" : " (\(row.note))"
        print((fields + [" " + row.baseline + note]).joined(separator: " "))
    }

    private func showObject(_ row: Row) {
        let isTime = row.clock != .bytes
        let object = RowObject(
            row: row.name, clock: row.clock.rawValue, nanoseconds: isTime ? row.value * 1e9 : nil,
            bytes: isTime ? nil : row.value, baseline: row.baseline,
            baselineNanoseconds: isTime ? row.baselineValue * 1e9 : nil,
            baselineBytes: isTime ? nil : row.baselineValue,
            ratio: row.ratio, note: row.note)
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
    let note: String
}

extension String {
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    fileprivate func aligned(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

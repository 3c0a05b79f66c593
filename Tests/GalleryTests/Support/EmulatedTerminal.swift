// SPDX-License-Identifier: MIT
import WebImageBinding
import WebImageTesting

@testable import gallery

/// The part of a terminal that shows what a program draws: cursor, 24-bit colours, characters, modes.
struct EmulatedTerminal {
    private(set) var screen: Screen
    /// The private modes that are on, such as 1049 for the alternate screen.
    private(set) var modes: Set<Int> = [25]
    /// How often the alternate screen was asked for, and how often it was left.
    private(set) var arrivals = 0
    private(set) var departures = 0
    /// Whether pictures of kitty's graphics are on the screen.
    private(set) var hasPictures = false
    /// The terminal's answers to the program.
    private(set) var answers: [UInt8] = []

    private var column = 0
    private var row = 0
    private var ink = Color.text
    private var ground = Color.background
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) { screen = Screen(columns: columns, rows: rows) }

    mutating func resize(columns: Int, rows: Int) { screen = Screen(columns: columns, rows: rows) }

    mutating func takeAnswers() -> [UInt8] {
        defer { answers = [] }
        return answers
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        while let length = nextLength() {
            obey(Array(pending[..<length]))
            pending.removeFirst(length)
        }
    }

    /// The length of the next whole sequence or character, if it is all there.
    private func nextLength() -> Int? {
        guard let first = pending.first else { return nil }
        if first == 0x1B {
            guard pending.count > 1 else { return nil }
            if pending[1] == UInt8(ascii: "[") {
                return pending.dropFirst(2).firstIndex { (0x40..<0x7F).contains($0) }.map { $0 + 1 }
            }
            let end = pending.indices.dropFirst(3).first {
                pending[$0 - 1] == 0x1B && pending[$0] == UInt8(ascii: "\\")
            }
            return end.map { $0 + 1 }
        }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return pending.count >= length ? length : nil
    }

    private mutating func obey(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes[0] == 0x1B else {
            for scalar in text.unicodeScalars where scalar.value >= 0x20 {
                screen.put(ScreenCell(character: scalar, foreground: ink, background: ground), column, row)
                column += 1
            }
            return
        }
        guard bytes[1] == UInt8(ascii: "[") else {
            if text.hasPrefix("\u{1B}_Ga=T") { hasPictures = true }
            if text.hasPrefix("\u{1B}_Ga=d,d=A") { hasPictures = false }
            return
        }
        let isPrivate = text.dropFirst(2).first == "?"
        let numbers = text.dropFirst(isPrivate ? 3 : 2).dropLast().split(separator: ";").compactMap { Int($0) }
        switch text.last {
        case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case "J": screen = Screen(columns: screen.columns, rows: screen.rows)
        case "c": answers += Array("\u{1B}[?62;22c".utf8)
        case "h":
            if numbers.contains(1_049) { arrivals += 1 }
            modes.formUnion(numbers)
        case "l":
            if modes.contains(1_049), numbers.contains(1_049) { departures += 1 }
            modes.subtract(numbers)
        case "m": select(numbers)
        default: break
        }
    }

    private mutating func select(_ numbers: [Int]) {
        guard numbers.count == 5 else { return (ink, ground) = (.text, .background) }
        let color = Color(UInt8(numbers[2]), UInt8(numbers[3]), UInt8(numbers[4]))
        if numbers[0] == 38 { ink = color } else { ground = color }
    }
}

extension Screen {
    /// The picture that half blocks show, by its pixels; `nil` when it is not recognised.
    func seed(_ rect: ScreenRect, _ picture: PixelSize = PixelSize(width: 96, height: 64)) -> Int? {
        let box = PixelSize(width: rect.columns, height: rect.rows * 2)
        let size = Patch.fit(picture, into: box)
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let line = y + (box.height - size.height) / 2
                let cell = self[rect.column + x + (box.width - size.width) / 2, rect.row + line / 2]
                let color = line % 2 == 0 ? cell.foreground : cell.background
                pixels += [color.red, color.green, color.blue, 255]
            }
        }
        let image = try? DecodedImage(
            width: size.width, height: size.height, frames: [.init(pixels: pixels)], hasAlpha: false)
        return image.flatMap { ImageFactory.seed(of: $0) }
    }

    /// The pictures that a grid shows with row `top` at the top.
    func seeds(_ grid: Grid, top: Int) -> [Int?] {
        grid.visible(top: top).map { seed(grid.rect(of: $0, top: top)) }
    }
}

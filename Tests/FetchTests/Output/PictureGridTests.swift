// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import fetch

struct PictureGridTests {
    private func grid(_ count: Int, _ columns: Int, _ rows: Int) -> PictureGrid {
        PictureGrid(count: count, .quadrants, Terminal.Size(columns: columns, rows: rows))
    }

    @Test(arguments: [1, 2, 3, 8, 50], [(1, 1), (20, 5), (40, 24), (80, 24), (120, 40), (300, 80)])
    func `places fit side by side and are no higher than the window`(count: Int, size: (columns: Int, rows: Int)) {
        let grid = grid(count, size.columns, size.rows)
        expectAll(grid.across >= 1, grid.canvas.columns >= 1, grid.canvas.rows >= 1)
        expect(grid.across * (grid.canvas.columns + 1) - 1, <, max(2, size.columns))
        expect(grid.canvas.rows, <=, max(1, size.rows - 4))
    }

    @Test func `all pictures of the demonstration are on an ordinary screen at once`() {
        for (columns, rows) in [(80, 24), (120, 40), (200, 50)] {
            let grid = grid(8, columns, rows)
            expect((7 + grid.across) / grid.across * (grid.canvas.rows + 2), <=, rows - 7)
        }
        expectEqual(grid(8, 80, 24).across, 4)
        expectEqual(grid(8, 40, 24).across, 2)
        // A single one is as large as the window.
        expectAll(grid(1, 200, 50).canvas.columns == 199, grid(1, 200, 50).canvas.rows == 46)
    }

    @Test func `each row is made room for once, and a line between two pictures begins another`() {
        var grid = grid(8, 80, 24)
        let height = grid.canvas.rows + 2
        let rooms = (0..<6).map { index in
            if index == 2 { grid.endRow() }
            return grid.text("P", caption: "C").prefix { $0 == "\n" }.count
        }
        expectEqual(rooms, [height, 0, height, 0, 0, 0])
        expectEqual(grid.text("P", caption: "C").count { $0 == "\n" }, height)
        let second = grid.text("P", caption: "C")
        expectEqual(second, "\u{1B}7\r\u{1B}[8A\u{1B}[20CP\u{1B}8\u{1B}7\r\u{1B}[2A\u{1B}[20CC\u{1B}8")
    }

    @Test func `a cell has the two colours and the shape of its part of the picture`() throws {
        // Red at the bottom right, blue elsewhere.
        var pixels: [UInt8] = []
        for y in 0..<4 { for x in 0..<2 { pixels += x == 1 && y > 1 ? [255, 0, 0, 255] : [0, 0, 255, 255] } }
        let picture = try DecodedImage(width: 2, height: 4, frames: [.init(pixels: pixels)], hasAlpha: false)
        let canvas = Canvas(graphics: .quadrants, columns: 1, rows: 1)
        expectEqual(canvas.thumbnail.resultSize(for: PixelSize(width: 200, height: 400)), picture.size)
        expectEqual(try canvas.painting(of: picture), "\u{1B}[48;2;0;0;255m\u{1B}[38;2;255;0;0m▗\u{1B}[0m")
        // A console has halves alone. In the lower one the colours are mixed.
        let halves = Canvas(graphics: .halves, columns: 1, rows: 1)
        expectEqual(try halves.painting(of: picture), "\u{1B}[48;2;0;0;255m\u{1B}[38;2;127;0;127m▄\u{1B}[0m")
        // What is smaller than a cell fills it.
        let dot = try DecodedImage(width: 1, height: 1, frames: [.init(pixels: [9, 8, 7, 255])], hasAlpha: false)
        expectEqual(try canvas.painting(of: dot), "\u{1B}[48;2;9;8;7m \u{1B}[0m")
        // Beyond an edge there is more of its colour.
        let edge: [UInt8] = [255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255]
        let odd = try DecodedImage(width: 3, height: 1, frames: [.init(pixels: edge)], hasAlpha: false)
        let painted = try Canvas(graphics: .quadrants, columns: 2, rows: 1).painting(of: odd)
        expect(painted.hasSuffix("▐\u{1B}[48;2;0;0;255m \u{1B}[0m"), "\(painted)")
    }

    @Test func `kitty gets a file in pieces of base64, and draws it over the cells`() throws {
        let canvas = Canvas(graphics: .kitty, columns: 30, rows: 10)
        let picture = try ImageCoders.default.decode(Pictures.bytes(seed: 3, width: 300, height: 160))
        let text = try canvas.painting(of: picture)
        expect(text.hasPrefix("\u{1B}[5B\u{1B}_Ga=T,f=100,c=19,r=5,C=1,q=2,m="))
        let pieces = text.matches(of: #/;([A-Za-z0-9+\/=]+)\u{1B}\\/#).map { String($0.1) }
        expect(pieces.allSatisfy { $0.count <= 4_096 })
        let file = try required(Data(base64Encoded: pieces.joined()))
        try expectEqual(ImageCoders.default.decode(Array(file)).pixels, picture.pixels)
    }

    @Test func `a terminal shows what its type and its program are known for, and ASCII alone shows no picture`() {
        expectNil(Canvas.Graphics(nil))
        expectEqual(Canvas.Graphics("xterm-kitty", nil, isUnicode: false), .kitty)
        expectEqual(Canvas.Graphics("xterm-256color", "WezTerm", isUnicode: false), .kitty)
        expectEqual(Canvas.Graphics("xterm-256color", nil, isUnicode: true), .quadrants)
        expectEqual(Canvas.Graphics("linux", nil, isUnicode: true), .halves)
        expectNil(Canvas.Graphics("xterm-256color", nil, isUnicode: false))
    }
}

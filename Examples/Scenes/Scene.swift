// SPDX-License-Identifier: MIT
import WebImageTesting

/// A picture that can be drawn at every size, a row at a time and each row by itself.
protocol Scene {
    /// Chooses what there is to see; what changes in an animation depends on `view.phase` alone.
    init(_ view: View, _ random: inout SeededGenerator)

    /// Draws the row at `line.y` over whatever the line holds.
    func paint(_ line: Line)
}

/// What a picture shows.
enum SceneKind: CaseIterable {
    case lake, flowers, space, hills, fractal, sea, forest, figures, dunes, city

    /// The kind of a seed: each ten seeds have all kinds in another order, and neighbours never have the same.
    init(_ seed: Int) {
        let count = Self.allCases.count
        let order = Self.order(seed / count)
        self = Self.allCases[order[seed % count]]
    }

    private static func order(_ block: Int) -> [Int] {
        var order = shuffled(block)
        if block > 0, order[0] == shuffled(block - 1).last { order.swapAt(0, 5) }
        return order
    }

    /// The last place stays as it is shuffled, so that the next block knows it.
    private static func shuffled(_ block: Int) -> [Int] {
        var order = Array(allCases.indices)
        guard block > 0 else { return order }
        var random = SeededGenerator(seed: UInt64(block) &* 77)
        for index in 0..<order.count - 1 { order.swapAt(index, index + random.next(below: order.count - index)) }
        return order
    }

    func scene(_ view: View, _ seed: Int) -> any Scene {
        var random = SeededGenerator(seed: UInt64(seed) &+ 1)
        return type.init(view, &random)
    }

    private var type: any Scene.Type {
        switch self {
        case .lake: LakeScene.self
        case .flowers: FlowerScene.self
        case .space: SpaceScene.self
        case .hills: HillScene.self
        case .fractal: FractalScene.self
        case .sea: SeaScene.self
        case .forest: ForestScene.self
        case .figures: FigureScene.self
        case .dunes: DuneScene.self
        case .city: CityScene.self
        }
    }
}

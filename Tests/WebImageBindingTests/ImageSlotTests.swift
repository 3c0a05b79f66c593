// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding

@Suite struct ImageSlotTests {
    private enum Part: Hashable { case left, right }

    @Test func `slots are equal when they mean the same picture, and a custom one returns its key`() {
        // Slots are equal when they mean the same picture.
        expectEqual(ImageSlot.image, .image(for: .normal))
        expect(ImageSlot.image != .backgroundImage)
        expect(ImageSlot.image(for: .selected) != .image(for: [.selected, .highlighted]))
        expectEqual(ImageSlot(Part.left), ImageSlot(Part.left))
        expect(ImageSlot(Part.left) != ImageSlot(Part.right))
        expect(ImageSlot("1") != ImageSlot(1))
        let all: Set<ImageSlot> = [.image, .image(for: []), ImageSlot("a"), ImageSlot("a"), .highlightedImage]
        expectEqual(all.count, 3)

        // A custom slot returns its key.
        expectEqual(ImageSlot(Part.left).key(as: Part.self), .left)
        expectNil(ImageSlot(Part.left).key(as: String.self))
        expectNil(ImageSlot.image.key(as: Part.self))
        expectEqual(ImageSlot(Part.left).role, .custom)
        expectEqual(
            [ImageSlot.alternateImage.role, ImageSlot.highlightedImage.role], [.alternateImage, .highlightedImage])

        // The bits of a state are those of UIKit.
        let states: [ControlState] = [.normal, .highlighted, .disabled, .selected, .focused]
        expectEqual(states.map(\.rawValue), [0, 1, 2, 4, 8])
    }
}

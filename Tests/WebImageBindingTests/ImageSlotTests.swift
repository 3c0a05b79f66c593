// SPDX-License-Identifier: MIT
import Testing
import WebImageBinding

@Suite struct ImageSlotTests {
    private enum Part: Hashable { case left, right }

    @Test func `slots are equal when they mean the same picture`() {
        #expect(ImageSlot.image == .image(for: .normal))
        #expect(ImageSlot.image != .backgroundImage)
        #expect(ImageSlot.image(for: .selected) != .image(for: [.selected, .highlighted]))
        #expect(ImageSlot(Part.left) == ImageSlot(Part.left))
        #expect(ImageSlot(Part.left) != ImageSlot(Part.right))
        #expect(ImageSlot("1") != ImageSlot(1))
        let all: Set<ImageSlot> = [.image, .image(for: []), ImageSlot("a"), ImageSlot("a"), .highlightedImage]
        #expect(all.count == 3)
    }

    @Test func `a custom slot returns its key`() {
        #expect(ImageSlot(Part.left).key(as: Part.self) == .left)
        #expect(ImageSlot(Part.left).key(as: String.self) == nil)
        #expect(ImageSlot.image.key(as: Part.self) == nil)
        #expect(ImageSlot(Part.left).role == .custom)
    }
}

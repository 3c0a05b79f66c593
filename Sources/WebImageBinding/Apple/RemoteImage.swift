// SPDX-License-Identifier: MIT
#if canImport(SwiftUI) && (canImport(UIKit) || canImport(AppKit))
import CoreGraphics
public import Foundation
import Observation
public import SwiftUI

/// A picture from a URL, with a placeholder while there is none.
///
/// ```swift
/// RemoteImage(url) { ProgressView() }
/// ```
public struct RemoteImage<Placeholder: View>: View {
    private let request: ImageRequest?
    private let placeholder: Placeholder
    @State private var model = RemoteImageModel()

    /// Creates a view of the picture at `url`.
    public init(_ url: URL?, @ViewBuilder placeholder: () -> Placeholder) {
        request = url.map { ImageRequest($0) }
        self.placeholder = placeholder()
    }

    /// The picture, or the placeholder.
    public var body: some View {
        Group {
            if let picture = model.picture {
                Image(decorative: picture, scale: 1).resizable()
            } else {
                placeholder
            }
        }
        .onChange(of: request?.url, initial: true) { model.load(request) }
        .onAppear { model.isVisible = true }
        .onDisappear { model.isVisible = false }
    }
}

/// The target behind a ``RemoteImage``.
@MainActor
@Observable
final class RemoteImageModel: ImageTarget {
    private(set) var picture: CGImage?
    @ObservationIgnored private var binding: ImageBinding?
    @ObservationIgnored var isVisible = true {
        didSet { binding?.targetVisibilityChanged() }
    }

    var visibility: TargetVisibility { isVisible ? .visible : .hidden }

    func load(_ request: ImageRequest?) {
        let binding = binding ?? ImageBinding(target: self, loader: SharedLoader.loader)
        self.binding = binding
        binding.load(request)
    }

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        self.picture = picture?.cgImage()
    }

    func showFrame(_ index: Int, of picture: DecodedImage, in slot: ImageSlot) {
        self.picture = picture.cgImage(frame: index)
    }
}
#endif

// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import CoreGraphics
public import Foundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}
// Type-checked, never run: the bodies below have no value to return.
extension Never: View { public var body: Never { fatalError() } }
// Never run.
extension View where Body == Never { public var body: Never { fatalError() } }
extension View {
    public nonisolated func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { EmptyView() }
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
    public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
}
public struct EmptyView: View { nonisolated init() {} }
public struct _ConditionalContent<TrueContent: View, FalseContent: View>: View {}
@resultBuilder public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { .init() }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { .init() }
}
public struct Group<Content: View>: View { public init(@ViewBuilder content: () -> Content) {} }
public struct Image: View {
    public init(decorative image: CGImage, scale: CGFloat) {}
    public func resizable() -> Image { self }
}
public struct Animation: Sendable {
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
    public static func linear(duration: TimeInterval) -> Animation { Animation() }
}
@discardableResult public func withAnimation<Result>(
    _ animation: Animation?, _ body: () throws -> Result
) rethrows -> Result { try body() }
@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        // Never run.
        get { fatalError() }
        nonmutating set {}
    }
}

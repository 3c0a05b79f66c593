/// A value on the heap, so that a copy of what holds it costs one reference however large the value is.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

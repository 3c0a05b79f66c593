// SPDX-License-Identifier: MIT
package import Testing

/// Expects two equal values, and otherwise shows both.
///
/// It says what `#expect(actual == expected)` says, for a tenth of its time in the compiler, which expands, checks and
/// compiles the macro's code at each use. The macro is for what has more to show, such as errors.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    record(
        "\(shown(actual)) in place of \(shown(expected))", comment(),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Expects `nil`, and otherwise shows the value.
package func expectNil(
    _ actual: Any?, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    guard let actual else { return }
    record(
        "\(shown(actual)) in place of nil", comment(),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Expects a condition of which the macro could show no part: a flag, a negation, the result of a closure.
package func expect(
    _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if condition { return }
    record(
        "the condition is false", comment(),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Expects two values in an order, as in `expect(count, <=, limit)`, and otherwise shows both.
package func expect<Value>(
    _ actual: Value, _ isInOrder: (Value, Value) -> Bool, _ limit: Value, _ comment: @autoclosure () -> Comment? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if isInOrder(actual, limit) { return }
    record(
        "\(shown(actual)) is on the wrong side of \(shown(limit))", comment(),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Expects several conditions, all of which are evaluated, and otherwise says which are false, counted from 1.
package func expectAll(
    _ conditions: Bool..., fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
) {
    let failed = conditions.indices.filter { !conditions[$0] }.map { "\($0 + 1)" }
    if failed.isEmpty { return }
    record(
        "false of \(conditions.count) conditions: \(failed.joined(separator: ", "))", nil,
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// Expects a collection without elements, and otherwise shows it.
package func expectEmpty(
    _ actual: some Collection, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if actual.isEmpty { return }
    record(
        "\(shown(actual)) in place of nothing", comment(),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

func record(_ failure: Comment, _ comment: Comment?, _ place: SourceLocation) {
    Issue.record(comment.map { "\(failure)\n\($0)" } ?? failure, sourceLocation: place)
}

/// A value as source text, the middle left out where it is long.
private func shown(_ value: Any) -> String {
    let text = String(reflecting: value)
    return text.utf8.count <= 2_000 ? text : "\(text.prefix(1_000)) … \(text.suffix(900))"
}

// SPDX-License-Identifier: MIT
package import Testing

/// Thrown when a required value is missing.
private struct Missing: Error {}

/// The value, or an issue at this place and an error that ends the test.
///
/// It says what `#require(value)` says, for a tenth of its time in the compiler.
package func required<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws -> Value {
    if let value { return value }
    record(
        "no value", comment(), SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    throw Missing()
}

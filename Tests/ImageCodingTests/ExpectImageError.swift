// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

/// Expects an error of a coder, and of a code where one is given, and returns it.
@discardableResult
func expectImageError<Value>(
    _ code: ImageError.Code? = nil, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column, _ body: () throws -> Value
) -> ImageError? {
    let comment = comment()
    let error = expectError(
        ImageError.self, comment, fileID: fileID, filePath: filePath, line: line, column: column, body)
    if let error, let code {
        expectEqual(error.code, code, comment, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return error
}

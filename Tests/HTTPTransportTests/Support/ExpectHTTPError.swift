// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import HTTPTransport

/// Expects an error of HTTP, and of a code where one is given, and returns it.
@discardableResult
func expectHTTPError<Value>(
    _ code: HTTPError.Code? = nil, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column, _ body: () async throws -> Value
) async -> HTTPError? {
    let comment = comment()
    let error = await expectError(
        HTTPError.self, comment, fileID: fileID, filePath: filePath, line: line, column: column, body)
    if let error, let code {
        expectEqual(error.code, code, comment, fileID: fileID, filePath: filePath, line: line, column: column)
    }
    return error
}

// SPDX-License-Identifier: MIT
package import Testing

/// Expects an error of a type, and returns it.
///
/// It says what `#expect(throws:)` says, for a tenth of its time in the compiler.
@discardableResult
package func expectError<Failure: Error, Value>(
    _ type: Failure.Type, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column, _ body: () async throws -> Value
) async -> Failure? {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    return failure(
        of: result, comment(), SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

/// The same for what does not wait.
@discardableResult
package func expectError<Failure: Error, Value>(
    _ type: Failure.Type, _ comment: @autoclosure () -> Comment? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column, _ body: () throws -> Value
) -> Failure? {
    failure(
        of: Result(catching: body), comment(),
        SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
}

private func failure<Failure: Error, Value>(
    of result: Result<Value, any Error>, _ comment: Comment?, _ place: SourceLocation
) -> Failure? {
    switch result {
    case .failure(let error as Failure): return error
    case .failure(let error): record("\(error) in place of \(Failure.self)", comment, place)
    case .success: record("no error in place of \(Failure.self)", comment, place)
    }
    return nil
}

// SPDX-License-Identifier: MIT
internal import Glibc
internal import PlatformBasics

/// Runs a command of the system and waits for it, without a shell.
enum SystemCommand {
    /// Runs a command that needs no input.
    ///
    /// - Parameters:
    ///   - name: Looked up in `PATH`.
    ///   - log: A file for what the command prints; its end becomes part of the error.
    /// - Throws: ``OriginError`` with code `.opensslMissing` when there is no such command, `.certificate` when it
    ///   fails.
    static func run(_ name: String, _ arguments: [String], log: String) throws(OriginError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)

        let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var process = pid_t()
        let result = unsafe withStrings([name] + arguments) { argv in
            unsafe withStrings(environment) { unsafe posix_spawnp(&process, name, &actions, nil, argv, $0) }
        }
        if result == ENOENT {
            throw OriginError(
                .opensslMissing, "The command `\(name)` is missing: install the package `openssl`.",
                errorNumber: result)
        }
        guard result == 0 else {
            throw OriginError(.certificate, "The command `\(name)` cannot be started.", errorNumber: result)
        }
        var status = CInt()
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else {
            let output = (try? Data(contentsOf: URL(filePath: log))) ?? Data()
            let end = String(decoding: output.suffix(1000), as: UTF8.self)
            throw OriginError(.certificate, "`\(name) \(arguments.first ?? "")` failed, and said: \(end)")
        }
    }

    /// The strings as C has them, with a null pointer at the end.
    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe body(pointers)
    }
}

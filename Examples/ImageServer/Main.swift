// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics
import WebImage

/// Serves pictures over HTTP: the command.
@main
struct Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        var words = Array(CommandLine.arguments.dropFirst())
        do {
            if let text = try Settings.text(words) {
                print(text)
                exit(0)
            }
            let settings = try read(&words)
            if words.first == "sign" {
                try sign(Array(words.dropFirst()), settings)
                exit(0)
            }
            guard words.isEmpty else { throw SettingsError(message: "\"\(words[0])\" is no option.") }
            exit(try await serve(settings))
        } catch let error as SettingsError {
            complain(error.message)
            exit(2)
        } catch let error as ServerError {
            complain(error.message)
            exit(1)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    /// What the command line, the environment and the files that they name say now.
    private static func read(_ words: inout [String]) throws(SettingsError) -> Settings {
        try Settings(parsing: &words, environment: ProcessInfo.processInfo.environment)
    }

    /// Prints the address of a picture.
    private static func sign(_ words: [String], _ settings: Settings) throws {
        guard words.count == 2 else {
            throw SettingsError(
                message: "sign takes OPTIONS and SOURCE-URL, such as: sign w320 https://example.com/a.jpg")
        }
        guard !settings.keys.isEmpty else {
            throw SettingsError(message: "sign needs a key: --key, --key-file or IMAGE_SERVER_KEY.")
        }
        // A source that shall stay readable is written as in the address.
        let isPlain = words[1].hasPrefix("plain/")
        let source = isPlain ? String(words[1].dropFirst("plain/".count)) : words[1]
        do throws(AddressError) {
            print(try settings.reader.address(options: words[0], source: source, isPlain: isPlain))
        } catch {
            throw SettingsError(message: error.detail)
        }
    }

    /// Serves until a signal.
    /// - Returns: The exit status: 0 when every request was finished.
    private static func serve(_ settings: Settings) async throws -> Int32 {
        var settings = settings
        try settings.check()
        do throws(HTTPError) {
            try await Descriptors.prepare(needing: DescriptorShares.leastCount)
        } catch {
            throw ServerError(message: error.message)
        }
        let interrupt = Interrupt()
        let demonstration = settings.isDemonstration ? try Demonstration() : nil
        demonstration?.prepare(&settings)
        let running = try await RunningServer.start(settings, samples: demonstration?.samples ?? [])
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        let base = "http://\(host):\(running.port)"
        note("listening on \(settings.socketPath ?? base)")
        if let port = running.metricsPort { note("metrics on http://\(settings.metricsHost):\(port)/metrics") }
        if let demonstration {
            note("with no --key and no --unsigned, this is a demonstration with generated pictures")
            note("try these, of which the third is signed:")
            for address in try demonstration.addresses(of: settings) { note("  \(base)\(address)") }
            note("  \(base)/ tries others")
        }
        await interrupt.wait { reload(running) }
        if settings.drainDelay > .zero {
            note("not ready; serving for \(settings.drainDelay)")
            await running.retire(for: settings.drainDelay)
        }
        note("draining, for \(settings.drainTimeout) at most")
        let report = await running.drain()
        demonstration?.stop()
        note(
            report.isClean
                ? "ended; every request was answered"
                : "ended; dropped \(report.droppedRequestCount) requests and \(report.loads.droppedWriteCount) writes, "
                    + "\(report.loads.stillRunningCount) operations still run")
        return report.isClean ? 0 : 1
    }

    /// Reads keys and presets again. When anything is wrong, all of them stay as they were.
    private static func reload(_ running: RunningServer) {
        do throws(SettingsError) {
            var words = Array(CommandLine.arguments.dropFirst())
            let settings = try read(&words)
            try settings.check()
            if !settings.isDemonstration { running.service.setReader(settings.reader) }
            note("keys and presets are read again")
        } catch {
            note("image-server: keys and presets stay as they were: \(error.message.printable)")
        }
    }

    static func note(_ text: String) {
        var line = text + "\n"
        // A line that cannot be written has no other place.
        line.withUTF8 { _ = unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func complain(_ text: String) { note("image-server: \(text.printable)\nTry: image-server --help") }
}

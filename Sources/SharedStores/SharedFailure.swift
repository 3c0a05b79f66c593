// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// What the holder of a lease tells the processes that wait when it has no entry for them.
struct SharedFailure: Equatable {
    /// The kind of the error; `nil` when there is none, and each process works for itself.
    var code: String?
    var status: Int?
    var message: String

    /// The word that the entry is made but may not be shared.
    static let alone = SharedFailure(message: "")
    /// How long that word stands: for those that wait.
    static let aloneLifetime = Duration.seconds(2)
    /// How long a failure that may pass stands.
    static let passingLifetime = Duration.seconds(1)

    private static let magic: UInt32 = 0x4649_5753
    private static let longestMessage = 1_000

    /// Failures that every process would have. Those that come from the state of one process are not among them.
    private static let codes: [ImageLoadError.Code] = [
        .transferFailed, .unacceptableStatus, .unacceptableContentType, .emptyBody, .undecodable, .processingFailed,
    ]

}

extension SharedFailure {
    /// The failure of a load, if every process would have it.
    init?(_ error: any Error) {
        guard let error = error as? ImageLoadError, Self.codes.contains(error.code) else { return nil }
        self.init(
            code: error.code.description, status: error.status,
            message: String(error.summary.prefix(Self.longestMessage)))
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.magic)
        bytes.append(counted: code ?? "")
        bytes.append(littleEndian: UInt32(clamping: status ?? 0))
        bytes.append(counted: message)
        return bytes
    }

    /// Reads untrusted bytes; `nil` for anything but a failure.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard reader.integer(UInt32.self) == Self.magic, let code = reader.counted(),
            let status = reader.integer(UInt32.self), let message = reader.counted(), reader.isAtEnd
        else { return nil }
        let name = String(decoding: code, as: UTF8.self)
        guard name.isEmpty || Self.codes.contains(where: { $0.description == name }) else { return nil }
        self.init(
            code: name.isEmpty ? nil : name, status: status == 0 ? nil : Int(exactly: status),
            message: String(String(decoding: message, as: UTF8.self).prefix(Self.longestMessage)))
    }

    /// The error of a load that has waited; `nil` when it works for itself.
    func error(_ url: URL) -> ImageLoadError? {
        Self.codes.first { $0.description == code }.map {
            ImageLoadError(code: $0, message: "Another server has tried: \(message)", url: url, status: status)
        }
    }
}

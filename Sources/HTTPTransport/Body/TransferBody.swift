// SPDX-License-Identifier: MIT
import EventLoops

/// The reader's end of a transfer.
///
/// Releasing the last reference cancels the transfer.
final class TransferBody: Sendable {
    private let order: TransferOrder
    /// Keeps the event loop running while the body may be read.
    private let client: HTTPClient
    /// Decodes the body, if it is encoded.
    private let decoder: GzipDecoder?

    init(_ order: TransferOrder, of client: HTTPClient, decoder: GzipDecoder?) {
        self.order = order
        self.client = client
        self.decoder = decoder
    }

    private var pipe: BodyPipe { order.pipe }

    deinit {
        cancel()
    }

    /// Ends the transfer if it still runs.
    ///
    /// Bytes that have arrived can still be read.
    func cancel() {
        if !pipe.hasEnded { post(.cancel(order.id)) }
    }

    /// The first bytes on the wire that no reader has taken.
    func arrivedBeginning(upTo count: Int) -> [UInt8] { pipe.beginning(upTo: count) }

    /// The next bytes, or `nil` at the end.
    func next(atLeast count: Int) async throws -> [UInt8]? {
        try Task.checkCancellation()
        while true {
            if let bytes = try decode({ decoder throws(HTTPError) in try decoder.next() }) { return bytes }
            switch pipe.take(atLeast: decoder == nil ? count : 1) {
            case .chunk(let bytes, let resumesWriter):
                if resumesWriter { post(.resume(order.id)) }
                guard let decoder else { return bytes }
                decoder.feed(bytes)
            case .end:
                try decode { decoder throws(HTTPError) in try decoder.finish() }
                return nil
            case .failed(let error): throw error
            case .nothing:
                // The handler only posts a message: the loop ends the transfer, which wakes the reader.
                let isAlone = await withTaskCancellationHandler {
                    await pipe.waitUntilReadable()
                } onCancel: {
                    post(.cancel(order.id))
                }
                try Task.checkCancellation()
                guard isAlone else {
                    throw HTTPError(
                        code: .bodyInUse, message: "Another task is reading this body; read it in one task.")
                }
            }
        }
    }

    private func post(_ message: TransferTable.Message) {
        order.table.mailbox.post(message)
    }

    /// Runs the decoder. Its error ends the transfer.
    private func decode<Value>(_ body: (GzipDecoder) throws(HTTPError) -> Value?) throws -> Value? {
        guard let decoder else { return nil }
        do { return try body(decoder) } catch {
            cancel()
            throw error
        }
    }
}

import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination

/// What is kept of a journey.
extension ImageManager {
    /// Keeps the original on disk. Only files that have been decoded get here: what is on disk is a picture.
    nonisolated func keep(_ decoded: DecodedOriginal, _ request: ImageRequest) async {
        guard let writes, request.cacheWrites.contains(.disk), request.allowsDisk else { return }
        let entry = decoded.original.entry(decoded.properties)
        hub.tell(request.url, .stored(byteCount: entry.bytes.count))
        let (number, key, newest) = (decoded.original.number, request.originalKey, newest)
        await writes.submit(for: key, if: { newest.isCurrent(number, of: key) }) { entry }
    }

    /// Keeps a small still variant on disk, losslessly; larger ones are made again from the original.
    nonisolated func store(_ response: ImageResponse, _ request: ImageRequest, _ key: LoadKey) async {
        let image = response.image
        guard let writes, request.cacheWrites.contains(.disk), request.allowsDisk,
            key.variant != request.originalKey, image.frames.count == 1,
            image.width * image.height <= configuration.maximumStoredVariantPixels
        else { return }
        let coders = configuration.coders
        let processing = processing
        let format = response.format
        let url = request.url.absoluteString
        let (number, original, newest) = (response.number, request.originalKey, newest)
        await writes.submit(for: key.variant, if: { newest.isCurrent(number, of: original) }) {
            let bytes = try await processing.run(priority: .background) { try coders.encode(image, as: .png) }
            let metadata = EntryMetadata(
                url: url, format: format.name, pixelWidth: image.width, pixelHeight: image.height, frameCount: 1)
            return DiskEntry(metadata: metadata, bytes: bytes)
        }
    }
}

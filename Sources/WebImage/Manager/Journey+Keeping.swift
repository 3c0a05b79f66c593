import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination

/// What is kept of a journey.
extension Journey {
    func remember(_ response: ImageResponse) {
        guard request.cacheWrites.contains(.memory) else { return }
        let picture = CachedPicture.decoded(response.remembered)
        manager.newest.ifCurrent(response.number, of: request.originalKey) {
            _ = manager.memory.store(picture, for: key.variant, cost: picture.cost)
        }
    }

    /// Keeps the original on disk. Only files that have been decoded get here: what is on disk is a picture.
    func keep(_ decoded: ProcessedOriginal) async {
        guard let writes = manager.writes, request.cacheWrites.contains(.disk), request.allowsDisk else { return }
        let entry = decoded.original.entry(decoded.properties)
        manager.hub.tell(request.url, .stored(byteCount: entry.bytes.count))
        let (number, key, newest) = (decoded.original.number, request.originalKey, manager.newest)
        await writes.submit(for: key, if: { newest.isCurrent(number, of: key) }) { entry }
    }

    /// Keeps a small still variant on disk, losslessly; larger ones are made again from the original.
    func store(_ response: ImageResponse) async {
        let image = response.image
        guard let writes = manager.writes, request.cacheWrites.contains(.disk), request.allowsDisk,
            key.variant != request.originalKey, image.frames.count == 1,
            image.width * image.height <= manager.configuration.maximumStoredVariantPixels
        else { return }
        let (processing, newest) = (manager.processing, manager.newest)
        let format = response.format
        let url = request.url.absoluteString
        let (number, original) = (response.number, request.originalKey)
        await writes.submit(for: key.variant, if: { newest.isCurrent(number, of: original) }) {
            let bytes = try await processing.encode(image, as: .png, priority: .background, holding: nil)
            let metadata = EntryMetadata(
                url: url, format: format.name, pixelWidth: image.width, pixelHeight: image.height, frameCount: 1)
            return DiskEntry(metadata: metadata, bytes: bytes)
        }
    }
}

// SPDX-License-Identifier: MIT
import WebImage

/// Looks at the entries of the cache page by page, so that it needs little memory for any number of them.
struct CacheInspection {
    private let isList: Bool
    private let removesDamages: Bool
    private let options: Options

    /// Creates the inspection that an action asks for; `nil` for another action.
    init?(_ action: CacheAction, _ options: Options) {
        switch action {
        case .list: (isList, removesDamages) = (true, false)
        case .verify(let removes): (isList, removesDamages) = (false, removes)
        case .info, .trim, .clear: return nil
        }
        self.options = options
    }

    /// - Returns: Whether no damaged file is left.
    func run(_ cache: DiskCache, _ configuration: DiskCache.Configuration) async throws -> Bool {
        var (sound, damaged, left) = ((entries: 0, bytes: 0), (files: 0, bytes: 0), 0)
        var place: DiskCache.Page.Place?
        repeat {
            let page = try await cache.page(from: place, verifiesBodies: !isList, removesDamages: removesDamages)
            for entry in page.entries {
                sound = (sound.entries + 1, sound.bytes + entry.byteCount)
                if isList { print(line(entry, now: configuration.now().components.seconds)) }
            }
            for damage in page.damages {
                damaged = (damaged.files + 1, damaged.bytes + damage.byteCount)
                if !damage.isRemoved { left += 1 }
                if !isList { tell(damage) }
            }
            place = page.next
        } while place != nil
        guard !isList else { return true }
        if options.writesJSON {
            print(
                "{\"folder\":\(configuration.folder.quotedJSON),\"entries\":\(sound.entries),\"bytes\":\(sound.bytes),"
                    + "\"damaged\":\(damaged.files),\"damagedBytes\":\(damaged.bytes),\"left\":\(left)}")
        } else if !options.isQuiet {
            print(
                "\(configuration.folder.printable): \(sound.entries) entries, \(Amount.bytes(sound.bytes)), are sound; "
                    + "\(damaged.files) files are damaged" + (removesDamages ? ", \(damaged.files - left) removed" : "")
            )
        }
        return left == 0
    }

    private func print(_ text: String) { StandardStream.output.writeLine(text) }

    private func line(_ entry: DiskCache.Page.Entry, now: Int64) -> String {
        // A clock that was wrong may have dated the entry anywhere.
        let (difference, overflow) = now.subtractingReportingOverflow(entry.metadata.storedAt)
        let age = overflow ? 0 : max(0, difference)
        let type = entry.metadata.contentType
        if options.writesJSON {
            return "{\"key\":\(entry.key.quotedJSON),\"bytes\":\(entry.byteCount),\"ageSeconds\":\(age)"
                + (type.map { ",\"type\":\($0.quotedJSON)" } ?? "") + "}"
        }
        return [Amount.bytes(entry.byteCount), Amount.age(age), type ?? "-", entry.key].map(\.printable)
            .joined(separator: "\t")
    }

    private func tell(_ damage: DiskCache.Page.Damage) {
        let problem = damage.error.map { "cannot be read: \($0.message)" } ?? "is damaged"
        StandardStream.error.writeLine(
            "fetch: \(damage.path.printable) \(problem)" + (damage.isRemoved ? "; removed" : ""))
    }
}

// SPDX-License-Identifier: MIT
import PlatformBasics
public import WebImage

extension SDWebImageCache {
    /// Where the picture of a key is, or would be: a file that holds the picture alone.
    ///
    /// - Complexity: O(length of the key).
    public nonisolated func path(for key: CacheKey) -> String { files.folder + "/" + SDWebImageName(key).file }
}

/// The keys that SDWebImage gives to transformed pictures.
///
/// - Source: SDWebImage 5.21, `SDImageTransformer.m`, `SDTransformedKeyForKey` and the transformer keys.
extension SDWebImageName {
    /// The key of a picture of which all transformers have a counterpart in SDWebImage; else `nil`.
    static func variantText(of key: CacheKey) -> String? {
        guard let steps = key.steps else { return nil }
        let names = steps.compactMap(counterpart)
        guard !names.isEmpty, names.count == steps.count else { return nil }
        return inserting(names.joined(separator: "-"), into: text(of: key.original))
    }

    /// SDWebImage's key of a transformer.
    private static func counterpart(_ key: String) -> String? {
        // The key that a program has given to a transformer that is a closure.
        let own =
            key.hasPrefix("custom(") ? key.dropFirst(7).dropLast().replacing(/(?s)\\(.)/) { $0.output.1 } : key[...]
        if own.hasPrefix("SDImage") || own.hasPrefix("Thumbnail(") { return String(own) }
        guard let open = key.firstIndex(of: "("), key.hasSuffix(")") else { return nil }
        let values = key[key.index(after: open)...].dropLast().split(separator: ",").map(String.init)
        let numbers = values.flatMap { $0.split(separator: "x") }.compactMap { Double($0) }
        let texts = numbers.compactMap(fixed)
        guard texts.count == numbers.count else { return nil }
        let list = "{" + texts.joined(separator: ",") + "}"
        switch (key[..<open], numbers.count, values.dropFirst()) {
        case ("resize", 2, ["fit"]): return "Thumbnail(\(list),1)"
        case ("resize", 2, ["stretch", "enlarging"]): return "SDImageResizingTransformer(\(list),0)"
        case ("resize", 2, ["fill", "enlarging"]): return "SDImageResizingTransformer(\(list),2)"
        case ("crop", 4, _): return "SDImageCroppingTransformer(\(list))"
        case ("flip", _, _): return "SDImageFlippingTransformer(\(values == ["horizontal"] ? "1,0" : "0,1"))"
        // It turns the other way, in radians.
        case ("rotate", _, _) where values.count == 2 && [90, 180, 270].contains(numbers.first):
            let angle = numbers[0] == 90 ? -Double.pi / 2 : numbers[0] == 180 ? Double.pi : Double.pi / 2
            return fixed(angle).map { "SDImageRotationTransformer(\($0),1)" }
        default: return nil
        }
    }

    /// As `%f` writes it; `nil` above 9 × 10¹², so that no two numbers have one text.
    private static func fixed(_ number: Double) -> String? {
        guard let millionths = Int64(exactly: (abs(number) * 1e6).rounded()) else { return nil }
        let digits = String(1_000_000 + millionths % 1_000_000).dropFirst()
        return (number < 0 ? "-" : "") + "\(millionths / 1_000_000).\(digits)"
    }

    /// The key with a name before the extension of its path, or at its end. The path of a URL is escaped anew.
    private static func inserting(_ name: String, into key: String) -> String {
        let url = URL(string: key)
        let suffix = url?.pathExtension ?? pathExtension(of: key)
        guard !suffix.isEmpty else { return "\(key)-\(name)" }
        guard let url, !url.isFileURL, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            return key.dropLast(suffix.count + 1) + "-\(name).\(suffix)"
        }
        parts.path = parts.path.dropLast(suffix.count + 1) + "-\(name).\(suffix)"
        return parts.string ?? "\(key)-\(name)"
    }
}

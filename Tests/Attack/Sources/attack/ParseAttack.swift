// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import HTTPTransportXML
import WebImage

/// Decodes a file as a response of this content type, twice: as a list of texts and as a value that contains itself.
///
/// Prints how each ended: `decoded` or `refused`. It decodes on a thread of the concurrency runtime, where stacks are
/// small.
enum ParseAttack {
    /// Lists in lists, as deep as the document has them.
    private struct Nest: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                while !list.isAtEnd { _ = try list.decode(Nest.self) }
            } else {
                _ = try? decoder.container(keyedBy: Key.self).decode([String: Nest].self, forKey: Key(stringValue: "a"))
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @concurrent static func run(_ kind: String, _ path: String) async throws {
        let type = ["json": "application/json", "xml": "application/xml"][kind]
        let response = CollectedResponse(
            status: 200, headers: ["Content-Type": type ?? kind], url: URL(string: "http://a/")!,
            bytes: Array(try Data(contentsOf: URL(filePath: path))))
        switch kind {
        case "json":
            tell { try ResponseDecoder.json([String].self).decode(response) }
            tell { try ResponseDecoder.json(Nest.self).decode(response) }
        default: tell { try ResponseDecoder.xml().decode(response) }
        }
    }

    private static func tell(_ decode: () throws -> some Any) {
        do {
            _ = try decode()
            print("decoded")
        } catch {
            print("refused \("\(error)".prefix(200).replacing("\n", with: " "))")
        }
    }
}

// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing

@testable import HTTPCaching

/// Fields in any spelling against the values that they spell, and against broken ones.
struct FieldModelTests {
    @Test func `directives are read in every spelling`() async {
        await Property(cases: 3_000) { $0.list(0...6) { WrittenDirective(&$0) } }.holds { directives in
            // Some end a line of the field.
            var lines = [""]
            for directive in directives {
                lines[lines.count - 1] += directive.text
                if directive.endsLine { lines.append("") }
            }
            var headers = HTTPHeaders()
            for line in lines { headers.append(name: "cache-control", value: line) }
            let control = CacheControl(headers)
            func has(_ name: String) -> Bool { directives.contains { $0.name == name } }
            /// Two numbers are none.
            func seconds(_ name: String) -> Int? {
                let found = Set(directives.filter { $0.name == name }.map(\.seconds))
                return found.count > 1 ? 0 : found.first
            }
            func extent(_ name: String) -> CacheControl.Extent? {
                let lists = directives.filter { $0.name == name }.map(\.names)
                if lists.isEmpty { return nil }
                return lists.contains(nil) ? .response : .fields(Set(lists.compactMap(\.self).joined()))
            }
            return difference(control.maxAge, seconds("max-age"), "max-age:")
                ?? difference(control.sharedMaxAge, seconds("s-maxage"), "s-maxage:")
                ?? difference(control.noCache, extent("no-cache"), "no-cache:")
                ?? difference(control.isPrivate, extent("private"), "private:")
                ?? difference(control.noStore, has("no-store"), "no-store:")
                ?? difference(control.mustRevalidate, has("must-revalidate"), "must-revalidate:")
                ?? difference(
                    control.isPublic, directives.contains { $0.name == "public" && $0.argument.isEmpty }, "public:")
                ?? unless(!control.isMalformed, "malformed")
        }
    }

    @Test func `nothing that stands before a restriction, or beside it, hides it`() async {
        let alphabet = Array("\"\\,=; \tmax-age=1no-store private public\u{E9}\u{0}'()?").map { String($0) }
        await Property(cases: 4_000) { draw in
            let junk = { (draw: inout Generator) in draw.list(0...14) { $0.oneOf(alphabet) }.joined() }
            return (before: junk(&draw), after: junk(&draw), isInLine: draw.isTrue())
        }.holds { before, after, isInLine in
            var headers = HTTPHeaders()
            let restriction = "no-store, private, no-cache, must-revalidate, max-age=0"
            headers.append(name: "Cache-Control", value: isInLine ? "\(before), \(restriction)" : before)
            if !isInLine { headers.append(name: "Cache-Control", value: restriction) }
            headers.append(name: "Cache-Control", value: after)
            let control = CacheControl(headers)
            return unless(
                control.noStore && control.mustRevalidate && control.maxAge == 0 && control.noCache == .response
                    && control.isPrivate == .response, "\(control)")
        }
    }

    @Test func `a targeted field is read as it was written, and one that is broken is none`() async {
        func name(_ draw: inout Generator) -> String {
            draw.oneOf(["max-age", "no-store", "private", "public", "x.1*"])
        }
        await Property(cases: 3_000) { $0.list(1...5) { (name: name(&$0), value: WrittenValue(&$0)) } }.holds {
            members in
            let text = members.map { $0.name + $0.value.text }.joined(separator: " ,\t")
            var reader = StructuredReader(Array(text.utf8))
            guard let read = reader.dictionary() else { return "\(text) is not read" }
            let last = Dictionary(members.map { ($0.name, $0.value.value) }) { _, later in later }
            let control = CacheControl(targeted: "CDN-Cache-Control", in: ["CDN-Cache-Control": text])
            let isStored = last["no-store"].map { $0 == .boolean(false) } ?? true
            for broken in [
                "\(text),", "\(text);", "\(text) ;", "\(text), =1", "&, \(text)", "\(text), A", "\(text), a=\"",
                "\(text), a=:YQ",
                "\(text), a=\"\u{E9}\"", "\(text), a=\"\u{7F}\"",
                "\(text), b=?2",
            ] {
                var reader = StructuredReader(Array(broken.utf8))
                if let found = reader.dictionary() { return "\(broken) is read as \(found)" }
            }
            return difference(read, last) ?? difference(control?.noStore, !isStored, "no-store:")
        }
    }

    @Test func `a condition holds for the tags that it names`() async {
        func tag(_ draw: inout Generator) -> String {
            (draw.isTrue(oneIn: 3) ? "W/" : "") + draw.oneOf(["\"a\"", "\"b\"", "\"a,b\"", "\"\"", "\"W/\"", "\", \""])
        }
        await Property(cases: 2_000) { draw in
            (
                stored: draw.maybe { tag(&$0) }, asked: draw.list(0...4) { tag(&$0) },
                separator: draw.oneOf([",", " , ,\t"])
            )
        }.holds { stored, asked, separator in
            var request = HTTPRequest(url: address)
            request.headers["If-None-Match"] = asked.joined(separator: separator)
            let entry = StoredResponse(head: head(stored.map { "ETag: \($0)" } ?? ""))
            func opaque(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }
            let isNamed = stored.map { stored in asked.contains { opaque($0) == opaque(stored) } } ?? false
            return difference(EntityTag.list([asked.joined(separator: separator)]).map(\.text), asked, "list:")
                ?? difference(entry.isNotModified(for: request), isNamed, "not modified:")
        }
    }

    @Test func `an address has one target in all its spellings, and another one for each part that differs`() async {
        await Property(cases: 2_000) { draw in
            let first = WrittenAddress(&draw)
            return (first, draw.isTrue() ? first.written(anew: &draw) : WrittenAddress(&draw))
        }.holds { first, second in
            guard let one = URL(string: first.text).flatMap({ CacheTarget($0) }),
                let other = URL(string: second.text).flatMap({ CacheTarget($0) })
            else { return "no target" }
            return difference(one == other, first.parts == second.parts)
                ?? unless(one != other || one.hashValue == other.hashValue, "hashes differ")
                ?? difference(one.description == other.description, first.parts == second.parts, "description:")
        }
    }
}

/// A directive and how it is written.
private struct WrittenDirective {
    let name, argument, text: String
    let endsLine: Bool

    init(_ draw: inout Generator) {
        name = draw.oneOf([
            "no-store", "max-age", "s-maxage", "no-cache", "private", "must-revalidate", "public", "x",
        ])
        let hostile = ["no-store", "a, no-store", "a\", private", "\\", ""]
        let arguments =
            switch name {
            case "max-age", "s-maxage": ["60", "0", "7", "99999999999999999999", "-1", "1.5", "x", "6 0"]
            case "no-cache", "private": ["", "Set-Cookie", "a, B", "a b", ", ,", "a\""]
            case "x": hostile
            default: ["", "", "1"]
            }
        argument = draw.oneOf(arguments)
        let isToken = !argument.isEmpty && argument.utf8.allSatisfy(\.isTokenByte)
        let escaped = argument.map { character in
            let mustEscape = character == "\"" || character == "\\"
            return (mustEscape || draw.isTrue(oneIn: 5) ? "\\" : "") + String(character)
        }
        let written = isToken && draw.isTrue() ? argument : "\"\(escaped.joined())\""
        let cased = name.map { draw.isTrue(oneIn: 4) ? $0.uppercased() : String($0) }.joined()
        let separator = draw.oneOf([", ", ",", " ,\t", ",,  ,"])
        text = (argument.isEmpty && name != "x" ? cased : "\(cased)=\(written)") + separator
        endsLine = draw.isTrue(oneIn: 4)
    }

    /// What is no number is 0, and what is too large the largest.
    var seconds: Int {
        argument.allSatisfy { $0.isASCII && $0.isNumber } ? min(Int(argument) ?? 2_147_483_648, 2_147_483_648) : 0
    }

    /// The fields of a list; `nil` where it is about the whole response.
    var names: [String]? {
        let names = argument.components(separatedBy: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        let members = names.filter { !$0.isEmpty }
        return members.isEmpty || members.contains { $0.contains(" ") || $0.contains("\"") } ? nil : members
    }
}

/// A value of a structured field and how it is written.
private struct WrittenValue {
    let value: StructuredReader.Value
    let text: String

    init(_ draw: inout Generator) {
        let number = draw.number(0...999_999)
        let rows: [(StructuredReader.Value, String)] = [
            (.boolean(true), ""), (.boolean(false), "=?0"), (.boolean(true), "=?1"), (.integer(number), "=\(number)"),
            (.integer(-number), "=-\(number)"), (.integer(999_999_999_999_999), "=999999999999999"),
            (.other, "=\(number).5"), (.text(Array("a,\"b".utf8)), "=\"a,\\\"b\""),
            (.text(Array("*t/:".utf8)), "=*t/:"),
            (.other, "=(1 \"a\";q=2 b)"), (.other, "=( )"), (.other, "=:YQ==:"), (.other, "=@17"),
        ]
        let (value, text) = draw.oneOf(rows)
        self.value = value
        self.text = text + draw.oneOf(["", ";a", "; a=1;b=\"x,y\"", ";*a=?0"])
    }
}

/// An address and how it is written.
private struct WrittenAddress {
    let parts: [String]
    let text: String

    init(_ draw: inout Generator) {
        let scheme = draw.oneOf(["http", "https"])
        let port = draw.oneOf([scheme == "http" ? "80" : "443", "80", "443", "8080"])
        let path = draw.oneOf(["/", "/a", "/A", "/%61", "/a/"])
        let query = draw.oneOf(["", "?", "?x=1", "?X=1"])
        self.init([scheme, draw.oneOf(["a.example", "b.example"]), port, path, query], &draw)
    }

    private init(_ parts: [String], _ draw: inout Generator) {
        self.parts = parts
        func anyCase(_ text: String) -> String { draw.isTrue() ? text.uppercased() : text }
        let isDefault = parts[2] == (parts[0] == "http" ? "80" : "443")
        let port = isDefault && draw.isTrue() ? "" : ":" + parts[2]
        let path = parts[3] == "/" && draw.isTrue() ? "" : parts[3]
        text = anyCase(parts[0]) + "://" + anyCase(parts[1]) + port + path + parts[4] + draw.oneOf(["", "#f"])
    }

    func written(anew draw: inout Generator) -> WrittenAddress { WrittenAddress(parts, &draw) }
}

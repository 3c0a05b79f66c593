// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import HTTPTransportXML
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(1)))
struct XMLResponseTests {
    private func response(_ bytes: [UInt8], type: String = "application/xml") throws -> CollectedResponse {
        CollectedResponse(
            headers: ["Content-Type": type], url: try required(URL(string: "http://a/")), bytes: bytes)
    }

    private func tree(_ text: String, type: String = "application/xml", _ limits: XMLLimits = .init()) throws -> XMLTree
    {
        try ResponseDecoder.xml(limits).decode(response(Array(text.utf8), type: type))
    }

    private func code(_ text: String, _ limits: XMLLimits = .init()) -> XMLError.Code? {
        let error = expectError(HTTPError.self) { try tree(text, limits) }
        expectEqual(error?.code, .undecodableBody)
        return (error?.cause as? XMLError)?.code
    }

    @Test func `a document becomes a tree of elements attributes and texts`() throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <?style x?><!-- <!DOCTYPE a> -->
            <list version="2" xml:lang="de"><item id="1">Käse &amp; &lt;Brot&gt; &#x41;&#66;</item>
            <item><b>x</b>y<![CDATA[<&!DOCTYPE]]>z</item><empty/></list>
            """
        let list = try tree(document)
        expectEqual(list.name, "list")
        expectEqual(list.attributes, ["version": "2", "xml:lang": "de"])
        expectEqual(list.elements.map(\.name), ["item", "item", "empty"])
        expectEqual(list["item"]?.text, "Käse & <Brot> AB")
        expectEqual(list["item"]?.attributes, ["id": "1"])
        expectEqual(list.elements[1].text, "xy<&!DOCTYPEz")
        expectEqual(list.elements(named: "tem"), [])
        expectEqual(list.elements[1].content, [.element(XMLTree("b", content: [.text("x")])), .text("y<&!DOCTYPEz")])
        expectEqual(list["empty"], XMLTree("empty"))
    }

    @Test(
        arguments: [
            ("text/xml; Charset=ISO-8859-1", Array("<a>".utf8) + [0xE4] + Array("</a>".utf8)),
            ("text/xml", Array("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE4] + Array("</a>".utf8)),
            ("text/xml", Array("<?xml version='1.0' encoding=\"latin1\"?><a>".utf8) + [0xE4] + Array("</a>".utf8)),
            ("text/xml", Array("<?xml version='1.0'?><!-- encoding='latin1' --><a>ä</a>".utf8)),
            ("text/xml", [0xEF, 0xBB, 0xBF] + Array("<a>ä</a>".utf8)),
            (
                "application/rss+xml",
                "<a>ä</a>".utf16.reduce(into: [0xFF, 0xFE]) { $0 += [UInt8($1 & 255), UInt8($1 >> 8)] }
            ),
            // The type counts before the declaration.
            ("text/xml; charset=utf-8", Array("<?xml version='1.0' encoding='utf-16'?><a>ä</a>".utf8)),
        ] as [(String, [UInt8])])
    func `a document has the encoding of its type or its beginning`(_ type: String, _ bytes: [UInt8]) throws {
        try expectEqual(ResponseDecoder.xml().decode(response(bytes, type: type)), XMLTree("a", content: [.text("ä")]))
    }

    @Test func `a document with a document type is refused unread, in any encoding`() throws {
        for document in [
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
            "<?xml version='1.0'?><!-- x --><?y z?>\n<!DOCTYPE a [<!ENTITY b SYSTEM 'http://127.0.0.1/'>]><a>&b;</a>",
            "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;&c;</a>",
            "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///dev/zero'> %p;]><a/>", "<!ELEMENT a ANY><a/>",
        ] {
            expectEqual(code(document), .documentType, "\(document)")
        }
        let hidden = "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"
        let wide = hidden.utf16.reduce(into: [UInt8]([0xFE, 0xFF])) { $0 += [UInt8($1 >> 8), UInt8($1 & 255)] }
        let error = expectError(HTTPError.self) { try ResponseDecoder.xml().decode(response(wide)) }
        expectEqual((error?.cause as? XMLError)?.code, .documentType)
        // UTF-7 writes "<!DOCTYPE" without its characters; it is not among the known encodings.
        let seven = Array("<?xml version='1.0' encoding='UTF-7'?>+ADwAIQ-DOCTYPE a+AD4-<a/>".utf8)
        let unknown = expectError(HTTPError.self) { try ResponseDecoder.xml().decode(response(seven)) }
        expectEqual(unknown?.code, .undecodableBody)
    }

    @Test(arguments: [
        "", " ", "<", "<a>", "<a></b>", "<a/><b/>", "a", "<a>&b;</a>", "<a b=1/>", "<a b='1' b='2'/>", "<a>\u{1}</a>",
        "<!--", "<?x", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a><!DOCTYPE b></a>", "<a/><!DOCTYPE b>", "<a>&amp</a>",
    ])
    func `what is no well-formed document is an error`(_ document: String) {
        expectEqual(code(document), .malformed)
    }

    @Test func `depth and number of elements are limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        try expectEqual(tree(nested(64)).elements.count, 1)
        expectEqual(code(nested(65)), .tooLarge)
        var deepest = XMLLimits()
        deepest.depth = .max
        try expectEqual(tree(nested(200), deepest).name, "a")
        expectEqual(code(nested(201), deepest), .tooLarge)
        expect(code(nested(100_000), deepest) != nil)
        deepest.depth = .min
        try expectEqual(tree("<a/>", deepest).name, "a")
        var few = XMLLimits()
        few.nodes = 4
        try expectEqual(tree("<a b='1'>x<c/></a>", few).text, "x")
        expectEqual(code("<a b='1'>x<c/><d/></a>", few), .tooLarge)
        expectEqual(code("<a b='1' c='2' d='3' e='4'/>", few), .tooLarge)
        few.nodes = .min
        expectEqual(code("<a/>", few), .tooLarge)
    }

    @Test func `attributes of an element are counted before the parser compares them`() throws {
        func wide(_ count: Int, end: String = "/>") -> String {
            "<!-- ' --><a>" + (0..<3).map { _ in "<l " + (0..<count).map { "a\($0)='>\"' " }.joined() + end }.joined()
                + "</a>"
        }
        try expectEqual(tree(wide(256)).elements.first?.attributes.count, 256)
        expectEqual(code(wide(257)), .tooLarge)
        // It counts before anything else is wrong.
        expectEqual(code(wide(200_000, end: "")), .tooLarge)
        expectEqual(code("<a>" + (0..<300).map { "<b xmlns:n\($0)='x'>" }.joined()), .tooLarge)
        var limits = XMLLimits()
        limits.attributes = 2
        try expectEqual(
            tree("<a>b='1' c='2' d='3'<![CDATA[<e f='1' g='2' h='3'>]]><?i j='1' k='2' l='3'?></a>", limits).name, "a")
        expectEqual(code("<a><b c='1' d = \"2\"\n e='3'/></a>", limits), .tooLarge)
        limits.attributes = .max
        try expectEqual(tree(wide(1_000), limits).elements.count, 3)
        expectEqual(code(wide(1_001), limits), .tooLarge)
    }

    @Test
    func `what the tree does not keep is counted as well, and an instruction that is a name alone is passed over`()
        throws
    {
        var limits = XMLLimits()
        limits.nodes = 10
        for markup in ["<?b?>", "<!---->", "<![CDATA[]]>"] {
            let whole = try tree("<a>" + String(repeating: markup, count: 10) + "</a>", limits)
            expectEqual(whole, XMLTree("a"), "\(markup)")
            expectEqual(code("<a>" + String(repeating: markup, count: 11) + "</a>", limits), .tooLarge, "\(markup)")
        }
        for document in ["<a><?b?></a>", "<?b?><a/>", "<a/><?b?>", "<a><?b ?></a>", "<a><?ä?></a>"] {
            try expectEqual(tree(document), XMLTree("a"), "\(document)")
        }
    }

    /// Every construct of the language, whole and in pieces.
    private static let pieces = [
        "<a>", "</a>", "<a", ">", "/>", " b='c'", " xmlns='d'", " xmlns:x='e'", " xmlns=''", "<x:b/>", "<x:",
        " x:y='1'",
        " xml:lang='z'", "<?a?>", "<?b c?>", "<?", "?>", "<!--", "-->", "<!---->", "<![CDATA[", "]]>", "<![CDATA[]]>",
        "&amp;", "&#65;", "&#x0;", "&b;", "&", ";", "ä", "\u{0}", "\u{1}", "\u{FFFE}", "\u{10FFFF}", "<!DOCTYPE a>",
        "<",
        "'", "\"", "=", " ", "\n", "\r", ":", "<:a/>", "<a:/>", " :b='1'", " b:='1'", " xmlns:='1'", " xmlns:x=''",
        "<xml:a/>", "<?xml version='1.0'?>", "<a b=''/>", "<a xml:space='preserve'/>", "<a xmlns:xml='q'/>", "%", "<!",
        "<a xmlns:xmlns='q'/>", "<!ELEMENT",
    ]

    @Test(arguments: Seeds.first(20)) func `no mixture of constructs and no damaged document traps`(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let count = Int.random(in: 1...12, using: &random)
            let inner = (0..<count).map { _ in Self.pieces.randomElement(using: &random)! }.joined()
            _ = try? tree(Bool.random(using: &random) ? "<a>\(inner)</a>" : inner)
        }
        random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var bytes = Array("<?xml version='1.0'?><a b='c'><!-- d --><e>&#65;&lt;</e><![CDATA[f]]></a>".utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) { bytes[place] = UInt8.random(in: 0...255, using: &random) }
                if Bool.random(using: &random) { bytes.insert(bytes.randomElement(using: &random)!, at: place) }
            }
            let damaged = try? ResponseDecoder.xml().decode(response(bytes))
            expect(damaged?.name != "")
        }
    }

    @Test func `a long text is one text and takes linear time`() throws {
        let text = String(repeating: "ä&amp;", count: 200_000)
        try expectEqual(tree("<a>\(text)</a>").text.utf8.count, 600_000)
    }
}

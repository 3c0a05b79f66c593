"""Attacks on what decodes the bodies of responses: JSON, property lists, XML. A process for each document."""

import struct

from child import Row, run

MOST_SECONDS, MOST_MEMORY = 6, 500  # under sanitizers, for documents of up to 10 MB


def json_documents(quick):
    deep = 100_000 if quick else 3_000_000
    yield "lists", b"[" * deep
    yield "lists that end", b"[" * deep + b"]" * deep
    yield "objects", b'{"a":' * deep
    yield "objects that end", b'{"a":' * deep + b"1" + b"}" * deep
    yield "digits", b"[" + b"9" * 1_000_000 + b"]"
    yield "exponents", b"[" + b"1e99999999," * 50_000 + b"1]"
    yield "escapes", b'["' + b"\\u0000" * 200_000 + b'"]'
    yield "half a pair", b'["' + b"\\ud800" * 200_000 + b'"]'
    yield "one key again", b"{" + b'"a":1,' * 100_000 + b'"a":1}'
    yield "many keys", b"{" + b"".join(b'"k%d":1,' % number for number in range(100_000)) + b'"z":1}'
    yield "texts", b"[" + b'"",' * 500_000 + b'""]'


HEAD = b'<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">'


def binary(objects, reference=1, count=None, top=0, width=None, table=None):
    """A binary property list of encoded objects."""
    body, offsets = b"bplist00", []
    for item in objects:
        offsets.append(len(body))
        body += item
    width = width or (1 if len(body) < 256 else 2 if len(body) < 65536 else 4)
    place = len(body) if table is None else table
    body += b"".join(offset.to_bytes(width, "big") for offset in offsets)
    return body + struct.pack(">6xBBQQQ", width, reference, len(objects) if count is None else count, top, place)


def property_lists(quick):
    deep = 12_000 if quick else 400_000
    for name, start, end in (("arrays", b"<array>", b"</array>"), ("dictionaries", b"<dict><key>a</key>", b"</dict>")):
        yield f"{name}, XML", HEAD + start * deep + end * deep + b"</plist>"
        yield f"{name} without end, XML", HEAD + start * deep
        yield f"{name} in texts, XML", HEAD + b"<array><string>a</string>" + start * deep + end * deep + b"</array></plist>"
    yield "arrays without a head", b"<plist>" + b"<array>" * deep + b"</array>" * deep + b"</plist>"
    yield "arrays in UTF-16", (HEAD.replace(b"UTF-8", b"UTF-16") + b"<array>" * deep).decode().encode("utf-16")
    yield "lists, old form", b"(" * deep + b")" * deep
    yield "lists without end, old form", b"(" * deep
    yield "dictionaries, old form", b"{a=" * deep + b"b;" + b"};" * deep
    yield "comments, old form", b"/* " * deep + b"()"
    entities = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))
    yield "entities", HEAD.replace(b"<plist", b'<!DOCTYPE plist [<!ENTITY l0 "lol">' + entities + b"]><plist") + (
        b"<array><string>&l9;</string></array></plist>")
    yield "a file outside", HEAD.replace(b"<plist", b'<!DOCTYPE plist [<!ENTITY f SYSTEM "file:///etc/passwd">]><plist') + (
        b"<array><string>&f;</string></array></plist>")
    yield "contains itself", binary([b"\xa1\x00"])
    yield "contains itself ten times", binary([b"\xaa" + bytes(10)])
    yield "two that contain each other", binary([b"\xa1\x01", b"\xa1\x00"])
    yield "a dictionary that contains itself", binary([b"\xd1\x01\x00", b"\x51a"])
    yield "a dictionary that is its own key", binary([b"\xd1\x00\x00"])
    yield "shared references", binary([b"\xaa" + bytes([level + 1]) * 10 for level in range(9)] + [b"\xa0"])
    yield "shared dictionaries", binary(
        [b"\xd2\x1e\x1f" + bytes([level + 1]) * 2 for level in range(30)] + [b"\x51a", b"\x51b"])
    chain = [b"\xa1" + struct.pack(">H", number + 1) for number in range(min(deep, 60_000))]
    yield "a chain", binary(chain + [b"\xa0"], reference=2)
    for name, words in {
            "2^63 objects": {"count": 2 ** 63}, "no objects": {"count": 0}, "the top is beyond": {"top": 9},
            "offsets of 255 bytes": {"width": 255}, "references of 255 bytes": {"reference": 255},
            "references of no bytes": {"reference": 0}, "the table is beyond": {"table": 2 ** 62},
            "the table is the head": {"table": 0}}.items():
        yield name, binary([b"\xa1\x01", b"\x51a"], **words)
    for name, item in {"2^60 items": b"\xaf\x13" + struct.pack(">Q", 2 ** 60), "a text of 2^62": b"\x5f\x13" + struct.pack(
            ">Q", 2 ** 62), "data of 2^31": b"\x4f\x12" + struct.pack(">I", 2 ** 31 - 1), "a number of 2^15 bytes": b"\x1f",
            "a length that is a text": b"\xaf\x51a", "a negative length": b"\xaf\x13" + b"\xff" * 8}.items():
        yield name, binary([item])


def xml_documents(quick):
    many = 200_000 if quick else 1_000_000
    names = b" ".join(b'a%d=""' % number for number in range(many))
    yield "attributes", b"<l " + names + b"/>"
    yield "attributes without end", b"<l " + names
    yield "attributes of many elements", b"<r>" + (b"<l " + names[:20_000] + b"/>") * (20 if quick else 400) + b"</r>"
    yield "one attribute again", b"<l " + b'a="" ' * many + b"/>"
    yield "prefixes", b"<l " + b" ".join(b'xmlns:p%d="u"' % number for number in range(many // 2)) + b"/>"
    yield "depth", b"<a>" * many + b"</a>" * many
    yield "depth without end", b"<a>" * many
    yield "elements", b"<a>" + b"<b/>" * (many * 2) + b"</a>"
    yield "names", b"<r>" + b"".join(b"<e%d/>" % number for number in range(many)) + b"</r>"
    yield "a long name", b"<" + b"a" * 5_000_000 + b"/>"
    yield "a long value", b'<a b="' + b"c" * 5_000_000 + b'"/>'
    yield "references in a value", b'<a b="' + b"&#38;" * many + b'"/>'
    yield "references", b"<a>" + b"&amp;" * many + b"</a>"
    yield "comments", b"<a>" + b"<!---->" * many + b"</a>"
    yield "comments before", b"<!---->" * many + b"<a/>"
    yield "sections", b"<a>" + b"<![CDATA[]]>" * many + b"</a>"
    yield "instructions", b"<a>" + b"<?a b?>" * many + b"</a>"
    yield "brackets", b"<a>" + b"]]" * many + b"</a>"
    entities = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))
    yield "entities", b'<!DOCTYPE a [<!ENTITY l0 "lol">' + entities + b"]><a>&l9;</a>"
    yield "entities behind a comment", b'<!-- a --><!DOCTYPE a [<!ENTITY l0 "lol">' + entities + b"]><a>&l9;</a>"
    yield "a file outside", b'<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>'
    yield "an address outside", b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>'
    yield "UTF-16 in a declaration", b'<?xml version="1.0" encoding="UTF-16"?><a/>'
    yield "UTF-7", b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE a+AD4-<a/>'
    yield "attributes in UTF-16", (b"<l " + names + b"/>").decode().encode("utf-16")
    yield "zeros", bytes(5_000_000)


def document_row(kind, title, documents):
    def row(field):
        """Each is decoded or refused, soon and in little memory; none reads a file or ends the process."""
        row = Row(title)
        file = field.folder / f"document.{kind}"
        for name, data in documents(field.quick):
            file.write_bytes(data)
            result = run([field.attack, "parse", kind, file], limit=30)
            fits = result.cpu < MOST_SECONDS and result.memory < MOST_MEMORY and "root:" not in result.output
            lines = [line.split(" ")[0] for line in result.output.splitlines()]
            row.judge(lines and set(lines) <= {"decoded", "refused"} and fits,
                      f"{name} ({len(data)} bytes): {lines}, {result.cpu:.1f} s, {result.memory:.0f} MB", result)
        # The program is built with sanitizers, which take memory of their own.
        row.memory = 0
        return row
    return row


ROWS = {"json": document_row("json", "JSON", json_documents),
        "plists": document_row("plist", "property lists", property_lists),
        "xml": document_row("xml", "XML", xml_documents)}

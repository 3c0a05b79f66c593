"""Attacks on what decodes the bodies of responses: JSON and XML. A process for each document."""

from child import Row, run

MOST_SECONDS, MOST_MEMORY = 6, 250  # under sanitizers, for documents of up to 10 MB
# What is freed stays in a quarantine, which is not memory of the decoder's: small, so that the figure tells of the decoder.
QUARANTINE = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16"}


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
    yield "texts", b"[" + b'"",' * (100_000 if quick else 500_000) + b'""]'


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
    yield "an instruction that is a name alone", b"<a><?b?></a>"
    yield "instructions that are names alone", b"<a>" + b"<?b?>" * many + b"</a>"
    yield "an error, and an instruction behind it", b" xmlns:='1'<:&#65;<?a?>"
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
        file, largest = field.folder / f"document.{kind}", 0
        for name, data in documents(field.quick):
            file.write_bytes(data)
            result = run([field.attack, "parse", kind, file], limit=30, environment=QUARANTINE)
            fits = result.cpu < MOST_SECONDS and result.memory < MOST_MEMORY and "root:" not in result.output
            lines = [line.split(" ")[0] for line in result.output.splitlines()]
            largest = max(largest, result.memory)
            row.judge(lines and set(lines) <= {"decoded", "refused"} and fits,
                      f"{name} ({len(data)} bytes): {lines}, {result.cpu:.1f} s, {result.memory:.0f} MB", result)
        # The program is built with sanitizers, which take memory of their own.
        row.memory = 0
        row.notes.append(f"at most {largest:.0f} MB under sanitizers")
        return row
    return row


ROWS = {"json": document_row("json", "JSON", json_documents),
        "xml": document_row("xml", "XML", xml_documents)}

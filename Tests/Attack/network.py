"""Attacks by origins: what they announce, where they cut, what they compress, how slowly they speak."""

import struct
import zlib

import bombs
from child import Row
from origin import Origin, answer, reset
from pictures import MOST_MEMORY, TINY, code, fetch, load

LARGEST = str(2 ** 63 - 1)
START = b"\x89PNG\r\n\x1a\n" + bytes(2000)  # passes for a picture until it ends


def announcement_row(field):
    """Lengths that are announced and never come."""
    row = Row("announced lengths")
    heads = [f"Content-Length: {length}" for length in (
        "9000000000000000000", "40000000000", "99999999", LARGEST, "18446744073709551616", "-1", "1, 2", "1" * 400)]
    heads += [f"Transfer-Encoding: chunked\r\n\r\n{size}" for size in (
        "7fffffffffffffff", "ffffffffffffffff", "80000000", "f" * 400, "-1", "2540be400")]

    def reply(path, headers, connection):
        head = heads[int(path.rpartition("/")[2])]
        head += "\r\n" if "chunked" in head else "\r\n\r\n"
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n" + head.encode() + START)
        if "crowd" in path:
            field.wait(2)  # so that all twenty are there at once

    with Origin(reply) as origin:
        for options in ([], ["--max-bytes", LARGEST], ["--max-bytes", "100000000000"]):
            for number, head in enumerate(heads):
                url = origin.url(f"/{number}")
                result, outcomes = fetch(field, [url], *options, limit=30)
                row.judge(code(outcomes.get(url)) not in ("ok", "none") and result.memory < 100,
                          f"{head!r} {options}: {code(outcomes.get(url))}, {result.memory:.0f} MB", result)
        urls = [origin.url(f"/crowd-{turn}/2") for turn in range(20)]
        result, outcomes = fetch(field, urls, "--concurrency", "20", limit=30, address_space=600_000 << 10)
        row.judge(len(outcomes) == 20, "20 at once in 600 MB of address space", result)
    return row


def cut_row(field):
    """An answer that ends after each of its bytes, by a close or a reset."""
    row = Row("connections cut at each byte")
    # A picture that decodes without its last bytes: only the transport can tell that they are missing.
    file = TINY + b"more"
    bodies = {
        "length": answer(file, "image/gif"),
        "chunked": answer(b"", "image/gif", Content_Length="", Transfer_Encoding="chunked")
        + f"{len(file):x}".encode() + b"\r\n" + file + b"\r\n0\r\n\r\n",
        "until-close": answer(file, "image/gif", Content_Length=""),
    }

    def reply(path, headers, connection):
        _, kind, manner, count = path.split("/")
        connection.sendall(bodies[kind][:int(count)])
        if manner == "reset":
            reset(connection)

    with Origin(reply) as origin:
        urls = [origin.url(f"/{kind}/{manner}/{count}") for kind, whole in bodies.items()
                for manner in ("close", "reset") for count in range(len(whole) + 1)
                if not field.quick or manner == "close" or count % 3 == 0]
        result, outcomes = fetch(field, urls, "--concurrency", "40", "--timeout", "10", limit=120)
    row.judge(result.status == 1, f"fetch ended with {result.status}", result)
    for url in urls:
        *_, kind, manner, count = url.split("/")
        come, whole = bodies[kind][:int(count)], bodies[kind]
        # What closes a body is nothing to wait for when all of its bytes are there; without a length its end is the close,
        # and a GIF that lacks nothing but its last byte has all its pixels.
        may, must = (TINY[:-1] if kind == "until-close" else file) in come, manner == "close" and come == whole
        end = code(outcomes.get(url))
        row.judge(end == "ok" if must else end == "ok" and may or end not in ("ok", "none"), f"{url}: {end}")
    return row


def gzip(start, blocks, ends=False):
    """A gzip file of `start` and then so many MiB of zeros."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return bytes.fromhex("1f8b08000000000000ff") + first + block * blocks + packer.flush() + struct.pack("<II", 0, 0)


def compression_row(field):
    """Bodies that grow a thousandfold, or a millionfold, when they are unpacked."""
    row = Row("compressed bodies")
    sizes = {"zeros": gzip(b"", 2000), "picture": gzip(START, 2000), "html": gzip(b"<html>", 2000)}
    bodies = {name: ("gzip", body) for name, body in sizes.items()}
    for name in ("zeros", "picture"):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        bodies[f"{name}-twice"] = "gzip, gzip", packer.compress(sizes[name]) + packer.flush()
    bodies["deflate"] = "deflate", bombs.zeros(2000 << 20)

    def reply(path, headers, connection):
        encoding, body = bodies[path.strip("/").partition("?")[0]]
        connection.sendall(answer(body, Content_Encoding=encoding))

    with Origin(reply) as origin:
        for name, (encoding, body) in bodies.items():
            url = origin.url(f"/{name}")
            result, outcomes = fetch(field, [url], limit=60)
            row.judge(code(outcomes.get(url)) not in ("ok", "none") and result.memory <= MOST_MEMORY and result.cpu < 6,
                      f"{name} ({len(body)} bytes): {code(outcomes.get(url))}, {result.memory:.0f} MB", result)
        urls = [origin.url(f"/zeros?{turn}") for turn in range(13)]
        result, outcomes = fetch(field, urls, "--concurrency", "13", limit=60)
        row.judge(len(outcomes) == 13 and result.memory <= MOST_MEMORY, f"13 at once: {result.memory:.0f} MB", result)
    return row


def drip_row(field):
    """One host that answers a byte at a time must not hold up another."""
    row = Row("slow host beside a fast one")

    def drip(path, headers, connection):
        connection.sendall(answer(b"", Content_Length="100000") + START[:8])
        for _ in range(120):
            field.wait(0.25)
            connection.sendall(b"\0")

    def quick(path, headers, connection):
        connection.sendall(answer(TINY, "image/gif"))

    with Origin(drip, "127.0.0.3") as slow, Origin(quick, "127.0.0.4") as fast:
        # The slow ones take 12 s one after the other. The first free slot, after 3 s at most, is for the other host.
        urls = [slow.url(f"/{number}") for number in range(16)] + [fast.url("/a"), fast.url("/b")]
        result, ends = load(field, "--allow", "127.0.0.0/29", "--timeout", "3", "--concurrency", "4", *urls)
        for url in urls[-2:]:
            end, milliseconds = ends.get(url, ("none", 0))
            row.judge(end == "ok" and milliseconds < 6000, f"{url}: {end} after {milliseconds:.0f} ms", result)
            row.notes.append(f"fast host after {milliseconds:.0f} ms")
        for url in urls[:-2]:
            row.judge(ends.get(url, ("none", 0))[0] == "transferFailed", f"{url}: {ends.get(url)}")
    row.memory = 0
    return row


ROWS = {"announcements": announcement_row, "cuts": cut_row, "compression": compression_row, "drips": drip_row}

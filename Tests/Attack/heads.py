"""Attacks by the heads of requests: on `image-server` alone, and on where `raw-proxy` takes them."""

import socket

from child import Row
from origin import Origin, answer
from pictures import TINY
from server import Malformed, Program, answers, free_port, image_server

START = b"GET /health HTTP/1.1\r\n"
END = b"\r\n\r\n"


def malformed():
    """Heads that a server must refuse, each by a name. Where two servers may differ, one request could become two."""
    host = START + b"Host: a\r\n"
    yield "no Host", START + b"\r\n"
    for number, field in enumerate([
            b"Host: b", b"Content-Length: +0", b"Content-Length: -1", b"Content-Length: 0x0", b"Content-Length: 0, 0",
            b"Content-Length: 5, 5", b"Content-Length: 18446744073709551616", b"Content-Length: " + b"9" * 400,
            b"Content-Length:", b"Content-Length: a", b"Content-Length: 1e1", b"Content-Length: 0\r\nContent-Length: 0",
            b"Content-Length: 0\r\nContent-Length: 7", b"Content-Length: 4\r\nTransfer-Encoding: chunked",
            b"Transfer-Encoding: chunked\r\nContent-Length: 0", b"Transfer-Encoding: chunked",
            b"Transfer-Encoding : chunked", b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked, identity",
            b"Transfer-Encoding: \x0bchunked", b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: CHUNKED",
            b"Transfer-Encoding:\tchunked", b"Transfer-Encoding: identity", b"Transfer-Encoding: \"chunked\"",
            b"Transfer-Encoding\t: chunked", b"Transfer-Encoding:\r\n chunked", b"X: y\r\n Transfer-Encoding: chunked",
            b"X: y\n\nTransfer-Encoding: chunked", b"X : y", b": y", b" X: y", b"X", b"X\x00: y", b"X: \x00", b"X: y\x00z",
            b"X: \x01", b"X: \x7f", b"X: y\rZ: z", b"X: y\nZ: z", b"X\xe4: y", b"X(: y", b"X\x0b: y", b"X;Y: z"]):
        yield f"field {number} {field[:40]!r}", host + field + END
    for line in [b"GET  /health HTTP/1.1", b"GET /health  HTTP/1.1", b" GET /health HTTP/1.1", b"GET /health HTTP/1.1 ",
                 b"GET\t/health HTTP/1.1", b"GET /hea lth HTTP/1.1", b"GET /health\x00 HTTP/1.1",
                 b"GET /health\x01 HTTP/1.1", b"GET /h\xe4alth HTTP/1.1", b"GET health HTTP/1.1", b"GET * HTTP/1.1",
                 b"GET a:80 HTTP/1.1", b"CONNECT a:80 HTTP/1.1", b"GET /health", b"GET /health HTTP/2.0",
                 b"GET /health HTTP/0.9", b"GET /health HTTP/1.11", b"GET /health http/1.1", b"GET /health HTP/1.1",
                 b"G@T /health HTTP/1.1", b"GET", b"PRI * HTTP/2.0", b"\x16\x03\x01\x02\x00", b"GET /health HTTP/x.y"]:
        yield f"line {line!r}", line + b"\r\nHost: a" + END
    for text in [START.replace(b"\r\n", b"\n") + b"Host: a\n\n", START + b"Host: a\n\r\n", START + b"Host: a\r\n\n"]:
        yield f"line ends {text[-12:]!r}", text


def smuggled(row, server, path):
    """Each malformed head, with a request behind it that must not be taken for one of its own."""
    for name, head in malformed():
        data, closed = server.say(head + b"GET " + path + b" HTTP/1.1\r\nHost: smuggled\r\n\r\n", 15)
        try:
            statuses = [status for status, _ in answers(data)]
        except Malformed as error:
            row.judge(False, f"{name}: {error}")
            continue
        refused = len(statuses) <= 1 and all(400 <= status < 600 for status in statuses)
        row.judge(refused and closed, f"{name}: {statuses}, {'closed' if closed else 'left open'}")


def head_row(field):
    """Each malformed head: refused by one whole answer or by the close alone, and the next client is served."""
    row = Row("malformed heads")
    with image_server(field) as server:
        smuggled(row, server, b"/health")
        row.judge(server.get("/health")[0] == 200, "the server does not answer any more")
        result = server.end()
        row.judge(result.status == 0, f"image-server ended with {result.status}", result)
    return row


def relay_row(field):
    """The same heads at `raw-proxy`: its origin hears nothing of what is behind them."""
    row = Row("raw-proxy: malformed heads")

    def reply(path, headers, connection):
        connection.sendall(answer(TINY, "image/gif"))

    with Origin(reply) as origin, Program(field.proxy, origin.url(""), "{port}") as proxy:
        smuggled(row, proxy, b"/smuggled")
        heard = [path for path, _ in origin.hits if "smuggled" in path]
        row.judge(not heard, f"the origin heard {len(heard)} requests that were smuggled")
        row.judge(proxy.get("/a")[0] == 200, "the proxy does not answer any more")
        result = proxy.end()
        row.judge(result.status == 0, f"raw-proxy ended with {result.status}", result)
    return row


def size_row(field):
    """Heads of every size about the limits: an answer as usual, or 431 or 414, and never silence."""
    row = Row("heads of 7 to 20 kB")
    shapes = {
        "cookie": lambda count: (b"/health", b"Cookie: " + b"a" * count),
        "two fields": lambda count: (b"/health", b"X: " + b"x" * (count // 2) + b"\r\nY: " + b"y" * (count - count // 2)),
        "cookies": lambda count: (b"/health", b"Cookie: " + b"; ".join([b"a%d=b" % n for n in range(count // 8)])),
        "target": lambda count: (b"/health?" + b"a" * count, b"X: y"),
    }
    served, refused = {}, {}
    with image_server(field) as server:
        for name, shape in shapes.items():
            for count in range(7000, 20001, 130 if field.quick else 17):
                target, fields = shape(count)
                head = b"GET " + target + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + fields + END
                try:
                    found = answers(server.say(head)[0])
                except Malformed as error:
                    row.judge(False, f"{name}, {len(head)} bytes: {error}")
                    continue
                status = found[0][0] if len(found) == 1 else len(found)
                kept = served if status == 200 else refused
                kept.setdefault(name, []).append(len(head))
                row.judge(status in (200, 414, 431), f"{name}, {len(head)} bytes: {status}")
            row.judge(not served.get(name) or not refused.get(name) or max(served[name]) < min(refused[name]),
                      f"{name}: some are served beyond the smallest that is refused")
            row.notes.append(f"{name} to {max(served.get(name, [0]))}")
        row.judge(server.get("/health")[0] == 200, "the server does not answer any more")
        result = server.end()
        row.judge(result.status == 0, f"image-server ended with {result.status}", result)
    return row


def neighbours():
    """A free port, and a digit that makes another free port of it."""
    while True:
        port = free_port() // 10
        for digit in range(10):
            try:
                for number in (port, port * 10 + digit):
                    with socket.socket() as probe:
                        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                        probe.bind(("127.0.0.1", number))
                return port, str(digit)
            except OSError:
                continue


def authority_row(field):
    """Targets that would continue the origin's authority: none reaches another server than the origin."""
    row = Row("raw-proxy: targets as authorities")

    def reply(path, headers, connection):
        connection.sendall(answer(TINY, "image/gif"))

    port, digit = neighbours()
    with Origin(reply, port=port) as origin, Origin(reply, port=int(f"{port}{digit}")) as private:
        place = f"127.0.0.1:{private.port}"
        forms = [f"{digit}/secret", f":{private.port}/secret", f":{private.port}", f".localhost:{private.port}/secret",
                 f"@{place}/secret", f":x@{place}/secret", f"\\@{place}/secret", f"#@{place}/secret", f"?@{place}/secret",
                 f"//{place}/secret", f"http://{place}/secret", f"%40{place}/secret", f"/\\{place}/secret"]
        # Without a port, so that the target may bring one.
        for address in (origin.url(""), "http://localhost", "http://127.0.0.1"):
            with Program(field.proxy, address, "{port}") as proxy:
                row.judge(proxy.alive, f"raw-proxy {address} does not start")
                for form in forms:
                    private.hits.clear()
                    request = f"GET {form} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n"
                    found = answers(proxy.say(request.encode(), 20)[0])
                    row.judge(not private.hits and len(found) == 1, f"{form} at {address}: {len(private.hits)} hits, {found}")
                result = proxy.end()
                row.judge(result.status >= 0, f"raw-proxy ended with {result.status}", result)
    row.memory = 0
    return row


ROWS = {"heads": head_row, "proxy-smuggling": relay_row, "head-sizes": size_row, "authority": authority_row}

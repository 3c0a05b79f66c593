"""Attacks by the stores that servers share: a Redis and a bucket that lie, hang and break off."""

import socketserver
import threading
import time

import bombs
from child import Row
from origin import Origin, answer, reset
from server import address, image_server

MOST_SECONDS = 8  # for a picture, whatever a store says
LONG = b"x" * 65536


def picture(number):
    return bombs.png(48 + number)


class Liar:
    """A server that speaks as a real Redis does, until it is asked for what `lie` answers: bytes, or what sends them."""

    def __init__(self, lie, greets=True):
        liar, self.asked = self, 0

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    while (words := self.command()) is not None:
                        usual = liar.usual(words) if greets else None
                        if usual is None:
                            liar.asked += 1
                            said = lie(words) if callable(lie) else lie
                            if said is None:
                                return
                            usual = said
                        if callable(usual):
                            usual(self.connection)
                        else:
                            self.connection.sendall(usual)
                except (OSError, ValueError):
                    pass  # the client has had enough

            def command(self):
                line = self.rfile.readline(64)
                if not line.startswith(b"*"):
                    return None
                words = []
                for _ in range(int(line[1:])):
                    length = int(self.rfile.readline(64)[1:])
                    words.append(self.rfile.read(length + 2)[:-2])
                return words

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address, daemon_threads, request_queue_size, block_on_close = True, True, 128, False

            def handle_error(self, request, address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @staticmethod
    def usual(words):
        """What any server answers to a log-in."""
        name = words[0].upper()
        if name == b"SUBSCRIBE":
            return b"*3\r\n$9\r\nsubscribe\r\n$%d\r\n%s\r\n:1\r\n" % (len(words[1]), words[1])
        return {b"SELECT": b"+OK\r\n", b"AUTH": b"+OK\r\n", b"SCRIPT": b"$40\r\n" + b"a" * 40 + b"\r\n"}.get(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def pour(block, count, pause=0):
    def send(connection):
        for _ in range(count):
            connection.sendall(block)
            time.sleep(pause)
    return send


def redis_lies():
    """Each by a name, the ones for the quick pass first."""
    yield "never answers", b""
    yield "closes", None
    yield "speaks HTTP", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
    yield "a long text", b"$2147483647\r\nab"
    yield "a long list", b"*2147483647\r\n"
    yield "lists in lists", b"*1\r\n" * 200_000
    yield "an error", b"-ERR nothing of that kind\r\n"
    yield "an endless error", pour(b"-" + LONG, 2_000)
    yield "drips", pour(b"*", 40, 0.25)
    yield "an answer too many", b":1\r\n:1\r\n:1\r\n:1\r\n"
    yield "granted, without a lease", b"*1\r\n:2\r\n"
    yield "stored, and is not", lambda words: b"*1\r\n:1\r\n" if words[0] == b"EVALSHA" else b"$-1\r\n"
    yield "stored, and is something else", lambda words: b"*1\r\n:1\r\n" if words[0] == b"EVALSHA" else (
        b"$5\r\nhello\r\n" if words[0] == b"GET" else b"+OK\r\n")
    for text in [b"$-5\r\n", b"$99999999999999999999\r\n", b"$a\r\n", b"*-7\r\n", b":\r\n", b":99999999999999999999\r\n",
                 b":1e9\r\n", b"+\r\n", b"\r\n", b"\x00", b"\xff" * 64, b"%1\r\n+a\r\n+b\r\n", b"#t\r\n", b"_\r\n", b",inf\r\n",
                 b">2\r\n+message\r\n+a\r\n", b"$-1\r\n", b"*0\r\n", b"*-1\r\n", b"*2\r\n:3\r\n:-5\r\n", b"*2\r\n:3\r\n:0\r\n",
                 b"*2\r\n:4\r\n$3\r\nabc\r\n", b"*2\r\n:2\r\n$1\r\n1\r\n", b"*2\r\n:9\r\n:9\r\n", b"$3\r\nabcdef\r\n", b"$3\r\nab",
                 b"-NOSCRIPT No matching script\r\n", b"-NOAUTH Authentication required.\r\n", b"-MOVED 1 127.0.0.1:1\r\n",
                 b"-READONLY You can't write\r\n", b"-OOM command not allowed\r\n", b"-LOADING Redis is loading\r\n",
                 b"*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n"]:
        yield repr(text[:24]), text


def served(row, field, name, *words, first=MOST_SECONDS):
    """Two pictures of a server with these options: right, in time; and its end."""
    def reply(path, headers, connection):
        connection.sendall(answer(picture(int(path.strip("/"))), Cache_Control="max-age=60"))

    with Origin(reply) as origin, image_server(field, "--drain-timeout", "2", *words) as server:
        for number in range(2):
            begun = time.monotonic()
            status, body = server.get(address(origin.url(f"/{number}"), "original"), 40)
            took = time.monotonic() - begun
            row.judge(status == 200 and body == picture(number) and took < (MOST_SECONDS if number else first),
                      f"{name}: {status}, {len(body)} bytes after {took:.1f} s")
        result = server.end()
        row.judge(result.status in (0, 1) and not result.hung, f"{name}: the server ended with {result.status}", result)


def redis_row(field):
    """Whatever Redis says, from its greeting on or behind a right one: pictures are right and soon, and the end is clean."""
    row = Row("a Redis that lies or hangs")
    lies = list(redis_lies())
    for name, lie in lies[:10] if field.quick else lies:
        for greets in (True,) if field.quick else (True, False):
            with Liar(lie, greets) as liar:
                place = f"redis://127.0.0.1:{liar.port}"
                # One that always says that another process has the lease may cost one wait.
                first = 33 if "*2\\r\\n:3" in name else MOST_SECONDS
                served(row, field, f"{name}{'' if greets else ', at once'}", "--redis", place, first=first)
                row.judge(liar.asked > 0, f"{name}: it was not asked")
    return row


def bucket_lies():
    """Each by a name, the ones for the quick pass first."""
    def hang(path, headers, connection):
        time.sleep(60)

    def drip(path, headers, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        pour(b"a", 200, 0.25)(connection)

    end = str(2 ** 33)
    yield "hangs", hang
    yield "closes", lambda path, headers, connection: None
    yield "resets", lambda path, headers, connection: reset(connection)
    yield "an endless head", lambda path, headers, connection: pour(b"HTTP/1.1 200 OK\r\nA: " + LONG, 1_000)(connection)
    yield "no HTTP", lambda path, headers, connection: connection.sendall(b"+OK\r\n")
    yield "drips", drip
    yield "a redirect to itself", lambda path, headers, connection: connection.sendall(
        answer(b"", status="307 Temporary Redirect", Location=path))
    yield "another object", lambda path, headers, connection: connection.sendall(
        answer(picture(40), x_amz_meta_end=end, x_amz_meta_expires=end))
    for status in ("200 OK", "204 No Content", "206 Partial Content", "301 Moved Permanently", "304 Not Modified",
                   "400 Bad Request", "403 Forbidden", "404 Not Found", "409 Conflict", "416 Range Not Satisfiable",
                   "429 Too Many Requests", "500 Internal Server Error", "503 Slow Down", "999 None"):
        yield status, lambda path, headers, connection, status=status: connection.sendall(
            answer(b"<Error><Code>x</Code></Error>", "application/xml", status, x_amz_meta_end=end))
    yield "a body that is cut", lambda path, headers, connection: connection.sendall(
        answer(b"abc", Content_Length="1000", x_amz_meta_end=end))
    yield "an endless body", lambda path, headers, connection: pour(LONG, 3_000)(
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n") or connection)


def bucket_row(field):
    """Whatever the service answers, to reads and writes: pictures are right and soon, and the end is clean."""
    row = Row("a bucket that lies or hangs")
    lies = list(bucket_lies())
    for name, lie in lies[:5] if field.quick else lies:
        with Origin(lie) as service:
            served(row, field, name, "--s3", "s3://pictures", "--s3-endpoint", service.url(""), "--s3-key-id", "id",
                   "--s3-secret", "a secret that nobody needs to know")
            row.judge(service.hits and not any("a secret" in str(hit) for hit in service.hits),
                      f"{name}: {len(service.hits)} requests, or the secret was sent")
    return row


ROWS = {"redis": redis_row, "bucket": bucket_row}

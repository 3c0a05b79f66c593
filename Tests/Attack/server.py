"""`image-server` and `raw-proxy` as processes, and what a client sees of them byte for byte."""

import base64
import os
import re
import signal
import socket
import time

from child import Child


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """A server on loopback, which is up when the block begins, and is killed at its end if it still runs.

    `words` are the arguments; `{port}` in them is a free port. Further options are those of `Child`.
    """

    def __init__(self, path, *words, limit=600, **options):
        self.port, self.done = free_port(), None
        self.child = Child([path, *(str(word).replace("{port}", str(self.port)) for word in words)], limit=limit, **options)

    def __enter__(self):
        end = time.monotonic() + 30
        while time.monotonic() < end and self.alive:
            try:
                socket.create_connection(("127.0.0.1", self.port), 5).close()
                return self
            except OSError:
                time.sleep(0.02)
        return self  # it ended at once, or does not listen: the caller looks at `alive`

    def __exit__(self, *_):
        if self.done is None:
            self.end(signal.SIGKILL)

    @property
    def alive(self):
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return self.done is None and os.waitid(os.P_PID, self.child.process.pid, options) is None

    @property
    def megabytes(self):
        """What it holds in memory now."""
        with open(f"/proc/{self.child.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

    @property
    def descriptors(self):
        """How many it has open now."""
        return len(os.listdir(f"/proc/{self.child.process.pid}/fd"))

    @property
    def cpu(self):
        """The processor time it has used, in seconds."""
        with open(f"/proc/{self.child.process.pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, number=signal.SIGTERM):
        """Sends a signal and waits; the result of the child."""
        if self.alive:
            os.kill(self.child.process.pid, number)
        self.done = self.child.result()
        return self.done

    def connect(self, seconds=10):
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def say(self, request, seconds=10):
        """Sends bytes, and returns all that comes until the server closes, or for so long; and whether it closed."""
        answer = b""
        with self.connect(seconds) as connection:
            try:
                connection.sendall(request)
                while piece := connection.recv(1 << 16):
                    answer += piece
                return answer, True
            except TimeoutError:
                return answer, False
            except OSError:
                return answer, True  # a reset

    def get(self, target, seconds=30, fields=""):
        """The status and the body of one answer; 0 when there is none."""
        request = f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{fields}\r\n"
        try:
            found = answers(self.say(request.encode(), seconds)[0])
        except OSError:
            return 0, b""
        return found[0] if found else (0, b"")


def image_server(field, *words, **options):
    """`image-server` that serves unsigned addresses of any host on loopback."""
    usual = ["--port", "{port}", "--no-metrics", "--no-log", "--unsigned", "--any-host", "--allow-network", "127.0.0.0/8"]
    return Program(field.server, *usual, *words, **options)


def address(url, options="w32"):
    """Where `image-server` serves the picture of a URL without a signature."""
    return f"/{options}/unsigned/" + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


HEAD = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)[^\r\n]*\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*)\r\n")


class Malformed(Exception):
    """Bytes that are no sequence of whole answers."""


def answers(data):
    """The answers in what a server sent, as status and body; each has to say how long it is, and to be whole."""
    found = []
    while data:
        head = HEAD.match(data)
        if not head:
            raise Malformed(f"not an answer: {data[:120]!r}")
        lengths = re.findall(rb"(?im)^content-length: *(\d+) *\r$", head[2])
        status, rest = int(head[1]), data[head.end():]
        if len(lengths) != 1 and status not in (204, 304):
            raise Malformed(f"{len(lengths)} lengths in {head[0]!r}")
        length = int(lengths[0]) if lengths else 0
        if len(rest) < length:
            raise Malformed(f"{len(rest)} of {length} bytes after {head[0]!r}")
        found.append((status, rest[:length]))
        data = rest[length:]
    return found

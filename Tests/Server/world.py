# SPDX-License-Identifier: MIT
"""The parts that rows are made of: an origin, Redis, image servers, nginx, and clients."""

import base64
import dataclasses
import hashlib
import hmac
import http.client
import http.server
import os
import pathlib
import shutil
import signal
import socket
import socketserver
import struct
import subprocess
import threading
import time
import zlib

KEY = "5a" * 32
LIMIT = 60  # seconds after which anything that is awaited has failed


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


def picture(seed):
    """A PNG file of 240 by 160 pixels; each seed another one."""
    rows = b"".join(b"\0" + bytes((x * (seed + 1) + y * 3 + c * 85) & 255 for x in range(240) for c in range(3))
                    for y in range(160))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 240, 160, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


class Origin:
    """Serves `/NUMBER.png` after a delay, and counts. Another version is another picture under the same address."""

    def __init__(self):
        self.delay, self.hits, self.lock = 0.0, [], threading.Lock()
        self.version, self.lifetime = 0, "max-age=3600"
        self.reached = threading.Condition(self.lock)
        origin, files = self, {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with origin.lock:
                    origin.hits.append((self.path, self.headers.get("User-Agent")))
                    origin.reached.notify_all()
                    number = int(self.path.strip("/").partition(".")[0]) + 1000 * origin.version
                    body = files.setdefault(number, files.get(number) or picture(number))
                time.sleep(origin.delay)
                self.send_response(200)
                for name, value in (("Content-Type", "image/png"), ("Content-Length", str(len(body))),
                                    ("Cache-Control", origin.lifetime)):
                    if value:
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address, daemon_threads, request_queue_size, block_on_close = True, True, 512, False

            def handle_error(self, request, address):
                pass  # a server that was killed has left

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def wait(self, count):
        with self.lock:
            if not self.reached.wait_for(lambda: len(self.hits) >= count, LIMIT):
                raise TimeoutError(f"the origin was not asked {count} times")

    @property
    def asked(self):
        with self.lock:
            return len(self.hits)


class Server:
    """An image server as a process."""

    def __init__(self, path, log, words):
        self.log = open(log, "w+")
        self.process = subprocess.Popen([str(path), *words], stdout=subprocess.DEVNULL, stderr=self.log)
        self.port = self.find_port(log)

    def find_port(self, log):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            for line in pathlib.Path(log).read_text().splitlines():
                if line.startswith("listening on "):
                    return int(line.rpartition(":")[2])
            time.sleep(0.01)
        raise TimeoutError(f"the server does not listen: {pathlib.Path(log).read_text()}")

    def stop(self, number):
        self.process.send_signal(number)


class World:
    """A folder with everything that a row starts."""

    def __init__(self, folder, server, clients):
        folder.mkdir(parents=True)
        folder.chmod(0o755)
        self.folder, self.path, self.clients = folder, server, clients
        self.origin, self.servers, self.redis, self.nginx, self.port = Origin(), [], None, None, None
        self.front = None

    # Parts

    @property
    def redis_socket(self):
        return self.folder / "redis.sock"

    def start_redis(self):
        self.redis = subprocess.Popen(
            [program("redis-server"), "--port", "0", "--unixsocket", str(self.redis_socket), "--save", "",
             "--appendonly", "no", "--dir", str(self.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as probe:
                try:
                    probe.connect(str(self.redis_socket))
                    probe.sendall(b"PING\r\n")
                    if probe.recv(7) == b"+PONG\r\n":
                        return
                except OSError:
                    time.sleep(0.01)
        raise TimeoutError("Redis does not answer")

    def start_servers(self, count, *words, shares=True, caches=False):
        for _ in range(count):
            store = ["--redis", f"unix://{self.redis_socket}"] if shares else []
            folder = ["--cache", str(self.folder / f"cache-{len(self.servers)}")] if caches else []
            log = self.folder / f"server-{len(self.servers)}.log"
            self.servers.append(Server(self.path, log, [
                "--port", "0", "--no-metrics", "--no-log", "--key", KEY, "--allow-network", "127.0.0.0/8", *store,
                *folder, *words]))

    def start_nginx(self, method=""):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        lines = "\n".join(f"    server 127.0.0.1:{server.port} max_fails=3 fail_timeout=5s;" for server in self.servers)
        text = (HERE / "nginx.conf").read_text()
        for name, value in (("FOLDER", self.folder), ("PORT", self.port), ("METHOD", method), ("SERVERS", lines)):
            text = text.replace(f"@{name}@", str(value))
        (self.folder / "nginx.conf").write_text(text)
        self.nginx = subprocess.Popen(
            [program("nginx"), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", "nginx.log"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.01)
        raise TimeoutError("nginx does not listen")

    def end(self):
        if self.front:
            self.front.end()
        processes = [server.process for server in self.servers] + [self.redis, self.nginx]
        for process in processes:
            if process and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate() if process is self.nginx else process.kill()
        for process in processes:
            if process:
                process.wait()
        self.origin.server.shutdown()

    # Clients

    def address(self, number, options="w120"):
        return self.signed(f"http://127.0.0.1:{self.origin.port}/{number}.png", options)

    def signed(self, source, options="w120"):
        place = base64.urlsafe_b64encode(source.encode()).decode().rstrip("=")
        digest = hmac.new(bytes.fromhex(KEY), f"{options}/{place}".encode(), hashlib.sha256).digest()
        return f"/{options}/{base64.urlsafe_b64encode(digest).decode().rstrip('=')}/{place}"

    def crowd(self, numbers):
        return Crowd(self, [self.address(number) for number in numbers])

    def stampede(self, number):
        return self.crowd([number] * self.clients)


@dataclasses.dataclass
class Reply:
    status: int
    body: bytes
    server: str
    seconds: float


def ask(port, path, connection=None, fields={}):
    started = time.monotonic()
    own = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    try:
        own.request("GET", path, headers=fields)
        answer = own.getresponse()
        body = answer.read()
        return Reply(answer.status, body, answer.headers.get("X-Upstream", ""), time.monotonic() - started)
    except (OSError, http.client.HTTPException) as error:
        return Reply(0, repr(error).encode(), "", time.monotonic() - started)
    finally:
        if not connection:
            own.close()


class Crowd:
    """Clients that ask at once, each on a connection of its own."""

    def __init__(self, place, paths):
        self.place, self.replies = place, [None] * len(paths)
        self.started = time.monotonic()
        self.threads = [threading.Thread(target=self.ask, args=item, daemon=True) for item in enumerate(paths)]
        for thread in self.threads:
            thread.start()

    def ask(self, index, path):
        self.replies[index] = ask(self.place.port, path)

    def row(self, origin_limit, *notes):
        """The replies of all clients, judged."""
        for thread in self.threads:
            thread.join(2 * LIMIT)
        replies = [reply for reply in self.replies if reply]
        served = [reply for reply in replies if reply.status == 200]
        row = Row(f"{len(served)}/{len(self.threads)}", self.place.origin.asked,
                  min((reply.seconds for reply in served), default=0),
                  max((reply.seconds for reply in served), default=0), list(notes))
        if len(served) < len(self.threads):
            others = sorted({(reply.status, reply.body[:200]) for reply in replies if reply.status != 200})
            row.losses.append(f"{len(self.threads) - len(served)} clients without a picture: {others[:3]}")
        if len({reply.body for reply in served}) > 1:
            row.losses.append("clients got different pictures")
        if row.asked > origin_limit:
            row.losses.append(f"the origin was asked {row.asked} times, more than {origin_limit}")
        return row


@dataclasses.dataclass
class Row:
    served: str = "-"
    asked: int = 0
    first: float = 0
    last: float = 0
    notes: list = dataclasses.field(default_factory=list)
    losses: list = dataclasses.field(default_factory=list)

    def line(self, name):
        return (f"| {name:15} | {self.served:11} | {self.asked:6} | {self.first * 1e3:5.0f} ms | {self.last * 1e3:5.0f} ms "
                f"| {'; '.join(self.notes)}")


HERE = pathlib.Path(__file__).resolve().parent

# SPDX-License-Identifier: MIT
"""Caches in front of an image server: each as a real process that is asked for pictures."""

import dataclasses
import hashlib
import http.client
import http.server
import json
import queue
import socket
import socketserver
import subprocess
import threading
import time

import world


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclasses.dataclass
class Copy:
    status: int
    id: str  # of the request at the image server: a copy from a cache has that of the first
    body: str


class Proxy:
    """A caching proxy as a process."""

    program = ""

    @classmethod
    def is_installed(cls):
        return world.program(cls.program) is not None

    def __init__(self, folder, server):
        self.folder, self.server, self.port = folder, server, free_port()
        self.process = subprocess.Popen([world.program(self.program), *self.words()], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        end = time.monotonic() + world.LIMIT
        while time.monotonic() < end:
            try:
                return socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.01)
        raise TimeoutError(f"{self.program} does not listen")

    def file(self, text):
        path = self.folder / f"{self.program}.conf"
        path.write_text(text)
        return str(path)

    def ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=world.LIMIT)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = hashlib.sha256(answer.read()).hexdigest()
        connection.close()
        return Copy(answer.status, answer.headers.get("X-Request-ID", ""), body)

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Nginx(Proxy):
    program = "nginx"

    def words(self):
        temporary = " ".join(f"{name}_temp_path {self.folder}/{name};"
                             for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return ["-p", str(self.folder), "-e", "nginx.log", "-c", self.file(f"""
            worker_processes 1; daemon off; pid {self.folder}/nginx.pid; events {{}}
            http {{ access_log off; {temporary} proxy_cache_path {self.folder}/copies keys_zone=copies:1m;
              server {{ listen 127.0.0.1:{self.port};
                location / {{ proxy_pass http://127.0.0.1:{self.server}; proxy_cache copies; }} }} }}""")]


class Varnish(Proxy):
    program = "varnishd"

    def words(self):
        # By default it serves an old copy for 10 s more while it asks for a new one.
        return ["-j", "none", "-F", "-n", str(self.folder / "varnish"), "-s", "malloc,16m", "-p", "default_grace=0",
                "-a", f"127.0.0.1:{self.port}", "-b", f"127.0.0.1:{self.server}"]


class Squid(Proxy):
    program = "squid"

    def words(self):
        # By default it keeps nothing that lives for less than a minute.
        return ["-N", "-f", self.file(f"""
http_port 127.0.0.1:{self.port} accel no-vhost defaultsite=127.0.0.1
cache_peer 127.0.0.1 parent {self.server} 0 no-query originserver
http_access allow all
minimum_expiry_time 0 seconds
shutdown_lifetime 0 seconds
cache_log /dev/null
access_log none
pid_filename none
""")]


class Browser(Proxy):
    """Chromium without a window, whose page fetches what it is told. A server in between hands out the page."""

    program = "chromium"
    PAGE = b"""<script>(async () => { while (true) {
        const path = await (await fetch("/next", { cache: "no-store" })).text();
        const answer = await fetch(path), bytes = new Uint8Array(await answer.arrayBuffer());
        let hash = 0; for (const byte of bytes) hash = (hash * 31 + byte) % 4294967291;
        await fetch("/told", { method: "POST", body: JSON.stringify(
            [answer.status, answer.headers.get("X-Request-ID"), hash + ":" + bytes.length]) });
    } })()</script>"""

    def words(self):
        self.wishes, self.told, front = queue.Queue(), queue.Queue(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path in ("/", "/next"):
                    body = front.PAGE if self.path == "/" else front.wishes.get().encode()
                    self.answer(200, [("Content-Type", "text/html"), ("Cache-Control", "no-store")], body)
                else:
                    upstream = http.client.HTTPConnection("127.0.0.1", front.server, timeout=world.LIMIT)
                    upstream.request("GET", self.path, headers={"Accept": self.headers.get("Accept", "")})
                    answer = upstream.getresponse()
                    self.answer(answer.status, answer.getheaders(), answer.read())

            def do_POST(self):
                front.told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.answer(200, [], b"")

            def answer(self, status, fields, body):
                self.send_response_only(status)
                for name, value in fields:
                    if name not in ("Connection", "Content-Length"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        class Between(socketserver.ThreadingTCPServer):
            allow_reuse_address, daemon_threads, block_on_close = True, True, False

            def handle_error(self, request, address):
                pass  # the browser has left

        self.between = Between(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.between.serve_forever, daemon=True).start()
        return ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={self.folder}/browser",
                f"http://127.0.0.1:{self.port}/"]

    def ask(self, path):
        self.wishes.put(path)
        return Copy(*self.told.get(timeout=world.LIMIT))

    def end(self):
        super().end()
        self.between.shutdown()

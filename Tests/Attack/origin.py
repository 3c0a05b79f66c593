"""A server on loopback that says whatever an attack wants said, byte for byte."""

import socket
import socketserver
import struct
import threading


class Origin:
    """Calls `answer(path, headers, connection)` for each request, then closes. Keeps what was asked for in `hits`."""

    def __init__(self, answer, host="127.0.0.1", port=0):
        self.hits, self.sent, self.host = [], 0, host
        origin = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    line = self.rfile.readline(65536).decode("latin-1").split()
                    headers = {}
                    while (field := self.rfile.readline(65536).decode("latin-1").strip()):
                        name, _, value = field.partition(":")
                        headers[name.lower()] = value.strip()
                    target = line[1] if len(line) > 1 else ""
                    origin.hits.append((target, headers))
                    answer(target, headers, self.connection)
                except (OSError, ValueError):
                    pass  # the client has left, or never spoke HTTP

        class Server(socketserver.ThreadingTCPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
            allow_reuse_address, daemon_threads, request_queue_size = True, True, 512
            block_on_close = False

            def handle_error(self, request, address):
                pass

        self.server = Server((host, port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path, host=None):
        host = host or self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def pour(self, connection, block, count):
        """Sends a block again and again until the client leaves, and counts."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 15)
        for _ in range(count):
            connection.sendall(block)
            self.sent += len(block)


def answer(body, kind="image/png", status="200 OK", **fields):
    """An answer with a length."""
    lines = {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
    lines |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return head.encode() + b"\r\n" + body


def reset(connection):
    """Makes the close that follows a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

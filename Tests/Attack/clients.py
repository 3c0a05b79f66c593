"""Attacks by clients that are slow or leave, from few addresses: another client is served all the while."""

import os
import pathlib
import select
import socket
import subprocess
import sys
import threading
import time

import bombs
from child import Row
from origin import Origin, answer
from server import Program, address, image_server

CLIENTS, SECONDS = 4, 1.0  # others that are served meanwhile, and how long in the quick pass


class Crowd:
    """So many connections in one thread; each that the server ends is replaced, as an attacker would."""

    def __init__(self, port, count, target):
        self.port, self.count, self.replaced = port, count, 0
        self.request = f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode()

    def open(self, number, begin):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # A few addresses, as the clients of a content delivery network have.
        connection.bind((f"127.0.0.{2 + number % 4}", 0))
        connection.settimeout(5)
        try:
            connection.connect(("127.0.0.1", self.port))
            connection.sendall(begin)
        except OSError:
            connection.close()
            return None
        connection.setblocking(False)
        return connection

    def run(self, begin, turn):
        """`begin` is sent on each connection; every second `turn` does something with each, and tells whether it lives.

        They stay until the input ends, so that no answer to another client comes because they have gone."""
        connections = [self.open(number, begin) for number in range(self.count)]
        print("ready", flush=True)
        ended = False
        while not ended:
            started = time.monotonic()
            for number, connection in enumerate(connections):
                if connection is None or not turn(connection):
                    if connection:
                        connection.close()
                        self.replaced += 1
                    connections[number] = self.open(number, begin)
            ended = select.select([sys.stdin], [], [], max(0, started + 1 - time.monotonic()))[0]
        print("replaced", self.replaced, flush=True)

    def heads(self):
        def drip(connection):
            try:
                connection.send(b"x")
                return connection.recv(1) != b""
            except BlockingIOError:
                return True
            except OSError:
                return False

        self.run(b"GET / HTTP/1.1\r\nHost: a\r\nX: ", drip)

    def readers(self):
        def sip(connection):
            try:
                return connection.recv(1024) != b""
            except BlockingIOError:
                return True
            except OSError:
                return False

        self.run(self.request, sip)

    def leavers(self):
        """All wait for one picture, until there is a line, and leave at once."""
        connections = [self.open(number, self.request) for number in range(self.count)]
        print("ready", flush=True)
        sys.stdin.readline()
        for connection in connections:
            if connection:
                connection.close()
        print("left", sum(connection is not None for connection in connections), flush=True)


def crowd(kind, server, count, target):
    """A process of its own, so that it takes no time of the client that is measured."""
    words = [sys.executable, "-B", pathlib.Path(__file__).resolve(), kind, server.port, count, target]
    child = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    return child


def served(server, target, until):
    """Clients that ask for one picture again and again, each time on a new connection: the statuses and the times."""
    statuses, times = [], []

    def client():
        while until():
            begun = time.monotonic()
            try:
                statuses.append(server.get(target, 10)[0])
            except ValueError:
                statuses.append(-1)
            times.append(time.monotonic() - begun)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses, sorted(times)


def judge(row, statuses, times):
    """Each request of the others has its answer; a slow machine may be slow."""
    row.tried += len(statuses)
    row.survived += statuses.count(200)
    for status in sorted(set(statuses) - {200}):
        row.losses.append(f"{statuses.count(status)} of {len(statuses)} answers are {status or 'none'}")
    if not statuses:
        return row.losses.append("no answer at all")
    row.notes.append(f"p50 {times[len(times) // 2] * 1e3:.0f} ms, p99 {times[len(times) * 99 // 100] * 1e3:.0f} ms, "
                     f"worst {times[-1] * 1e3:.0f} ms")


def images(field, origin):
    return image_server(field), address(origin.url("/small")), address(origin.url("/large"), "original")


def proxy(field, origin):
    return Program(field.proxy, origin.url(""), "{port}"), "/small", "/large"


def slow_row(kind, title, program, quick_count, full_count):
    def row(field):
        """The others' pictures come, also those that no cache has."""
        row = Row(title)
        # 3 MB that are sent as they are, and small ones.
        rows = b"".join(b"\0" + os.urandom(3_000) for _ in range(1_000))
        large, small = bombs.png(1_000, 8, 2, data=bombs.zlib.compress(rows, 0)), bombs.png(64)

        def reply(path, headers, connection):
            connection.sendall(answer(large if "large" in path else small, Cache_Control="max-age=600"))

        count, seconds = (quick_count, SECONDS) if field.quick else (full_count, 20)
        with Origin(reply) as origin:
            made, target, slow = program(field, origin)
            with made as server:
                row.judge(server.get(slow)[1] == large and server.get(target)[0] == 200, "the pictures do not come at all")
                child = crowd(kind, server, count, slow)
                held, end = server.descriptors, time.monotonic() + seconds
                judge(row, *served(server, target, lambda: time.monotonic() < end))
                held = max(held, server.descriptors)
                row.judge(held < 1_150, f"{held} descriptors for {count} slow clients")
                row.notes.append(f"{count} slow ones: {held} descriptors, {child.communicate()[0].split()[-1]} come again")
                row.judge(server.alive and server.get(target)[0] == 200, "the server does not answer any more")
                result = server.end()
                row.judge(result.status in (0, 1), f"ended with {result.status}", result)
        return row
    return row


def leaving_row(field):
    """Clients that wait for one picture leave at once: nothing stays of them, and others are served."""
    row = Row("clients that leave at once")
    count, over = 1_500 if field.quick else 9_000, threading.Event()

    def reply(path, headers, connection):
        if "held" in path:
            over.wait(120)
        connection.sendall(answer(bombs.png(64), Cache_Control="max-age=600"))

    # What the clients wait for does not end by itself.
    words = ["--max-connections", "12000", "--max-requests", "12000", "--source-timeout", "110"]
    with Origin(reply) as origin, image_server(field, *words) as server:
        target = address(origin.url("/small"))
        row.judge(server.get(target)[0] == 200, "the picture does not come at all")
        before = server.descriptors
        child = crowd("leavers", server, count, address(origin.url("/held")))
        end = time.monotonic() + 60
        while server.descriptors < before + count and time.monotonic() < end:
            time.sleep(0.05)
        held = server.descriptors - before
        end_of_asking = time.monotonic() + SECONDS
        judge(row, *served(server, target, lambda: time.monotonic() < end_of_asking))
        waited = server.cpu
        child.stdin.write("\n")
        child.stdin.flush()
        left = int(child.stdout.readline().split()[-1])
        while server.descriptors > before + 10 and time.monotonic() < end:
            time.sleep(0.02)
        row.judge(left == count and held >= count and server.descriptors <= before + 10,
                  f"{count} clients, {held} held, {left} left, {server.descriptors - before} descriptors more than before")
        row.notes.append(f"{count} left in {server.cpu - waited:.2f} s of processor time")
        row.judge(server.get(target)[0] == 200, "the server does not answer any more")
        over.set()
        child.wait()
        result = server.end()
        row.judge(result.status in (0, 1), f"ended with {result.status}", result)
    return row


ROWS = {"slow-heads": slow_row("heads", "slow heads", images, 1_300, 3_000),
        "slow-readers": slow_row("readers", "slow readers", images, 1_200, 1_200),
        "proxy-heads": slow_row("heads", "raw-proxy: slow heads", proxy, 1_300, 3_000),
        "proxy-readers": slow_row("readers", "raw-proxy: slow readers", proxy, 1_200, 1_200), "leavers": leaving_row}

if __name__ == "__main__":
    getattr(Crowd(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]), sys.argv[1])()

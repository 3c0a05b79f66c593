"""Attacks on programs that may open few files, down to sixteen."""

import re
import socket
import threading
import time

import bombs
from child import Row
from origin import Origin, answer
from pictures import code, fetch
from server import Program, address, image_server

PICTURE = bombs.png(64)
# What a program says that cannot do with so few.
TELLING = re.compile(r"may open \d+ files, and needs \d+")


def reply(path, headers, connection):
    connection.sendall(answer(PICTURE, Cache_Control="max-age=60"))


def idle(server, count):
    """Connections that begin a request and say no more, as many as can be had."""
    held = []
    for _ in range(count):
        try:
            connection = socket.create_connection(("127.0.0.1", server.port), 0.2)
            connection.sendall(b"GET / HTTP/1.1\r\n")
            held.append(connection)
        except OSError:
            break
    return held


def busy(server, target, turn, seconds):
    """Twelve clients that ask for pictures that nobody has; the statuses."""
    statuses, end = [], time.monotonic() + seconds

    def client(number):
        count = 0
        while time.monotonic() < end:
            count += 1
            statuses.append(server.get(target(f"/{turn}-{number}-{count}"), seconds + 12)[0])

    threads = [threading.Thread(target=client, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


def images(field, origin, limit):
    """`image-server` with a cache, and where it serves what an origin has."""
    words = ["--cache", field.folder / "starved", "--drain-timeout", "2"]
    return image_server(field, *words, descriptors=limit), lambda path: address(origin.url(path))


def proxy(field, origin, limit):
    """`raw-proxy` with a folder."""
    return Program(field.proxy, origin.url(""), "{port}", field.folder / "relayed", descriptors=limit), lambda path: path


def starve(row, field, program, limit, shortage, seconds):
    """A server with so many descriptors, of which idle clients leave so many."""
    name = f"{limit} descriptors, {shortage} left"
    with Origin(reply) as origin:
        made, target = program(field, origin, limit)
        with made as server:
            if not server.alive:
                result = server.end()
                clear = TELLING.search(result.errors)
                row.judge(result.status > 0 and clear, f"{name}: refused to start with {result.errors[:200]!r}", result)
                return "refuses"
            held = idle(server, max(0, limit - shortage))
            statuses = busy(server, target, f"{limit}-{shortage}", seconds)
            row.judge(server.alive, f"{name}: the server is gone")
            row.judge(any(statuses), f"{name}: no busy client had an answer in {seconds + 12} s")
            for connection in held:
                connection.close()
            end = time.monotonic() + 15
            status = 0
            while status != 200 and time.monotonic() < end and server.alive:
                status = server.get(target(f"/after-{limit}-{shortage}"), 15)[0]
            row.judge(status == 200, f"{name}: {status} when the idle clients have left")
            result = server.end()
            row.judge(result.status in (0, 1), f"{name}: ended with {result.status}", result)
            return f"{statuses.count(200)} of {len(statuses)}"


def server_row(title, program):
    def row(field):
        """Under limits of 16 to 1,024: alive, or a clear line at its start."""
        row = Row(f"{title}, few descriptors")
        limits = [16, 24, 64, 1024] if field.quick else [
            16, 20, 24, 28, 32, 36, 40, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024]
        for limit in limits:
            # The last ones are taken in different places of the work.
            for shortage in [33] if field.quick else [60, 40, 33, 28, 20, 10, 0]:
                came = starve(row, field, program, limit, shortage, 1.0 if field.quick else 1.5)
                if shortage == 33 or came == "refuses":
                    row.notes.append(f"{limit}: {came}")
                if came == "refuses":
                    break
        return row
    return row


def fetch_row(field):
    """`fetch` with fifty downloads at once: every picture comes, or a clear line tells what is wanted."""
    row = Row("fetch, few descriptors")
    with Origin(reply) as origin:
        urls = [origin.url(f"/{number}") for number in range(100)]
        for limit in (16, 20, 24, 28, 32, 48, 64, 128):
            result, outcomes = fetch(field, urls, "--concurrency", "50", "--force", limit=60, descriptors=limit)
            came = sum(code(outcome) == "ok" for outcome in outcomes.values())
            clear = result.status > 0 and not came and TELLING.search(result.errors)
            row.judge(came == len(urls) or clear, f"{limit}: {came} of {len(urls)}, {result.errors[:200]}", result)
            row.notes.append(f"{limit}: {came}")
    return row


ROWS = {"descriptors": server_row("image-server", images), "proxy-files": server_row("raw-proxy", proxy),
        "fetch-files": fetch_row}

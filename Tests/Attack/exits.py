"""Attacks on the end of a server: SIGTERM while what it waits for hangs."""

import threading
import time

import bombs
from child import Row
from liars import Liar
from origin import Origin, answer
from server import address, image_server

MOST_SECONDS = 12  # for an end that drops what is left after two


def exit_row(field):
    """The process ends soon, by itself and not by a signal, whatever does not answer."""
    row = Row("SIGTERM while stores and origins hang")
    picture, over = bombs.png(100), threading.Event()

    def hang(path, headers, connection):
        over.wait(60)

    def reply(path, headers, connection):
        if "hang" in path:
            return hang(path, headers, connection)
        connection.sendall(answer(picture, Cache_Control="max-age=60"))

    kinds = {"bucket": (1, 0, 0), "Redis": (0, 1, 0), "origin": (0, 0, 1), "all": (1, 1, 1), "bucket and origin": (1, 0, 1)}
    longest = 0
    with Origin(reply) as origin, Origin(hang) as bucket, Liar(b"") as redis:
        for turn in range(2 if field.quick else 40):
            for name, (in_bucket, in_redis, at_origin) in kinds.items():
                words = ["--drain-timeout", "1"]
                if in_bucket:
                    words += ["--s3", "s3://pictures", "--s3-endpoint", bucket.url(""), "--s3-key-id", "id", "--s3-secret", "s"]
                if in_redis:
                    words += ["--redis", f"redis://127.0.0.1:{redis.port}"]
                with image_server(field, *words) as server:
                    clients = []
                    for number in range(6):
                        path = address(origin.url(f"/{'hang' if at_origin and number % 2 else 'fine'}-{number}"))
                        clients.append(threading.Thread(target=server.get, args=(path, 20)))
                    for client in clients:
                        client.start()
                    # Each turn ends it at another moment.
                    field.wait(0.02 * (turn % 20) + (0.6 if turn % 2 else 0))
                    begun = time.monotonic()
                    result = server.end()
                    took = time.monotonic() - begun
                    longest = max(longest, took)
                    for client in clients:
                        client.join()
                row.judge(result.status in (0, 1) and took < MOST_SECONDS,
                          f"{name}, turn {turn}: {result.status} after {took:.1f} s {result.errors[-200:]!r}", result)
        over.set()
    row.notes.append(f"{longest:.1f} s at most")
    return row


ROWS = {"exits": exit_row}

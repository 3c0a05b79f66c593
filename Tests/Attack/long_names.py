"""Attacks on memory by names: addresses that nobody has asked for before, and large fields."""

import threading

import bombs
from child import Row
from origin import Origin, answer
from server import address, image_server

SMALL = bombs.png(32)


def name_row(field):
    """Long addresses and large fields, each once: memory does not grow with their number."""
    row = Row("long names and large fields")
    fields = "".join(f"X-{number}: {'v' * 1000}\r\n" for number in range(55)).encode()

    def reply(path, headers, connection):
        connection.sendall(answer(SMALL, Cache_Control="max-age=600").replace(b"\r\n\r\n", b"\r\n" + fields + b"\r\n", 1))

    limit, count = 16 << 20, 2_000 if field.quick else 15_000
    with Origin(reply) as origin, image_server(field, "--memory", str(limit)) as server:
        def client(first):
            for number in range(first, count, 4):
                path = f"/{number}?{'q' * 5600}" if number > 400 else f"/{number}"
                statuses.append(server.get(address(origin.url(path), "original"))[0])

        statuses = []
        server.get(address(origin.url("/warm"), "w16"))
        before = server.megabytes
        clients = [threading.Thread(target=client, args=(number,)) for number in range(4)]
        for thread in clients:
            thread.start()
        for thread in clients:
            thread.join()
        # Tags, failures and what the allocator keeps come on top of the cache.
        grown, most = server.megabytes - before, 80
        row.tried = row.survived = len(statuses)
        row.judge(statuses.count(200) == count, f"{statuses.count(200)} of {count} were served")
        row.judge(grown < most, f"{grown:.0f} MB grown, with a cache of {limit / 1e6:.0f}")
        row.notes.append(f"{grown:.0f} MB grown, with a cache of {limit / 1e6:.0f}")
        result = server.end()
        row.judge(result.status == 0, f"ended with {result.status}", result)
    return row


ROWS = {"names": name_row}

"""Attacks by load: many clients at one address at once, and an origin that fails in a third of its answers."""

import random
import threading
import time

import bombs
from child import Row
from origin import Origin, answer, reset
from server import address, image_server


def at_once(server, targets):
    """One client for each target, all at the same time; what they got."""
    found, gate = [], threading.Barrier(len(targets))

    def client(target):
        gate.wait()
        found.append(server.get(target, 40))

    threads = [threading.Thread(target=client, args=(target,)) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def stampede_row(field):
    """The origin is asked once, whatever the number of clients and of sizes, also when it fails."""
    row = Row("stampedes")
    count = 200 if field.quick else 1_000

    def reply(path, headers, connection):
        time.sleep(0.1)  # so that all are there
        if "failing" in path:
            return connection.sendall(answer(b"", status="503 Service Unavailable"))
        connection.sendall(answer(bombs.png(100), Cache_Control="max-age=600"))

    with Origin(reply) as origin, image_server(field, "--max-connections", "2000", "--max-requests", "2000") as server:
        for name, widths, wanted in [("cold", [32], 200), ("warm", [32], 200), ("sizes", range(20, 30), 200),
                                     ("failing", [32], 503)]:
            path = "/cold" if name == "warm" else f"/{name}"
            before = len(origin.hits)
            targets = [address(origin.url(path), f"w{width}") for width in widths]
            found = at_once(server, targets * (count // len(targets)))
            statuses, bodies = {status for status, _ in found}, {body for status, body in found if status == 200}
            # A client may come when a failure is over.
            asked, most = len(origin.hits) - before, {"warm": 0, "failing": count // 20}.get(name, 1)
            row.tried += len(found) - 1
            row.survived += len(found) - 1
            row.judge(statuses == {wanted} and len(bodies) <= len(targets) and min(1, most) <= asked <= most,
                      f"{name}: {len(found)} of {count} answers, {statuses}, {len(bodies)} bodies, {asked} requests")
        result = server.end()
        row.judge(result.status in (0, 1), f"ended with {result.status}", result)
    return row


def fault_row(field):
    """Each answer is the right picture or an error, whatever the origin does to its own."""
    row = Row("an origin that fails at random")
    chance = random.Random(11)
    pictures = [bombs.png(40 + number, 8, 2) for number in range(50)]

    def reply(path, headers, connection):
        whole = answer(pictures[int(path.strip("/").partition("?")[0])], Cache_Control="max-age=1")
        fault = chance.randrange(20)
        if fault == 0:
            return None
        if fault == 1:
            return reset(connection)
        if fault == 2:
            return connection.sendall(answer(b"", status="500 Internal Server Error"))
        if fault == 3:
            return connection.sendall(whole[:chance.randrange(len(whole))])
        if fault == 4:
            connection.sendall(whole[:chance.randrange(len(whole))])
            return reset(connection)
        if fault == 5:
            return connection.sendall(b"HTTP/1.1 200 OK\r\n" + chance.randbytes(200))
        return connection.sendall(whole)

    end = time.monotonic() + (3 if field.quick else 120)
    with Origin(reply) as origin, image_server(field, "--memory", "1000000") as server:
        def client(number):
            count = 0
            while time.monotonic() < end:
                count += 1
                place = (count * 7 + number) % len(pictures)
                # Some addresses are old ones, and most are new.
                query = f"?{number}-{count}" if count % 3 else ""
                status, body = server.get(address(origin.url(f"/{place}{query}"), "original"))
                found.append((status == 200, 400 <= status < 600 or body == pictures[place], status))

        found = []
        threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        row.tried, row.survived = len(found), sum(right for _, right, _ in found)
        row.losses += [f"status {status}, or another picture" for _, right, status in found if not right][:5]
        row.judge(any(came for came, _, _ in found), "no picture came at all")
        row.notes.append(f"{sum(came for came, _, _ in found)} pictures, {len(origin.hits)} requests to the origin")
        result = server.end()
        row.judge(result.status in (0, 1), f"ended with {result.status}", result)
    return row


ROWS = {"stampedes": stampede_row, "faults": fault_row}

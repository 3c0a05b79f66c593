"""Attacks on memory by names: addresses that nobody has asked for before, and large fields."""

import threading

import bombs
from child import MemoryGroup, Row
from origin import Origin, answer
from server import Program, address, image_server

SMALL = bombs.png(32)


def ask(server, count, path, wanted):
    """Asks once for each number, four at a time; how many answers had the status, and by how many MB memory has grown."""
    before, statuses = server.megabytes, []

    def client(first):
        statuses.extend(server.get(path(number))[0] for number in range(first, count, 4))

    clients = [threading.Thread(target=client, args=(number,)) for number in range(4)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    return statuses.count(wanted), server.megabytes - before


def name_row(field):
    """Long addresses and large fields, each once: memory does not grow with their number."""
    row = Row("long names and large fields")
    fields = "".join(f"X-{number}: {'v' * 1000}\r\n" for number in range(55)).encode()

    def reply(path, headers, connection):
        connection.sendall(answer(SMALL, Cache_Control="max-age=600").replace(b"\r\n\r\n", b"\r\n" + fields + b"\r\n", 1))

    limit, count = 16 << 20, 2_000 if field.quick else 15_000
    with Origin(reply) as origin, image_server(field, "--memory", str(limit)) as server:
        def path(number):
            return address(origin.url(f"/{number}?{'q' * 5600}" if number > 400 else f"/{number}"), "original")

        server.get(address(origin.url("/warm"), "w16"))
        served, grown = ask(server, count, path, 200)
        # Tags, failures and what the allocator keeps come on top of the cache.
        most = 80
        row.tried = row.survived = count
        row.judge(served == count, f"{served} of {count} were served")
        row.judge(grown < most, f"{grown:.0f} MB grown, with a cache of {limit / 1e6:.0f}")
        row.notes.append(f"{grown:.0f} MB grown, with a cache of {limit / 1e6:.0f}")
        result = server.end()
        row.judge(result.status == 0, f"ended with {result.status}", result)
    return row


def missing_row(field):
    """404s under long addresses, each once, through `raw-proxy` in a small group: it keeps a quarter of its memory."""
    row = Row("long names that do not exist")
    group = MemoryGroup(128)
    if not group.path:
        row.notes.append(f"SKIPPED: no memory group can be made here ({group.reason})")
        return row

    def reply(path, headers, connection):
        connection.sendall(answer(SMALL, status="404 Not Found", Cache_Control="max-age=600"))

    count, kept = 6_000 if field.quick else 30_000, 32 << 20
    try:
        with Origin(reply) as origin, Program(
                field.proxy, origin.url(""), "{port}", memory_group=group.path) as server:
            server.get("/warm")
            served, grown = ask(server, count, lambda number: f"/{number}?{'q' * 7800}", 404)
            row.tried = row.survived = count
            row.judge(served == count, f"{served} of {count} were answered")
            # The threads of connections and what the allocator keeps for each come on top.
            row.judge(grown < 65, f"{grown:.0f} MB grown, where {kept / 1e6:.0f} may be kept")
            row.notes.append(f"{grown:.0f} MB grown, where {kept / 1e6:.0f} may be kept")
            result = server.end()
            row.judge(result.status == 0, f"ended with {result.status}", result)
    finally:
        group.remove()
    return row


ROWS = {"names": name_row, "missing": missing_row}

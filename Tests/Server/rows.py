# SPDX-License-Identifier: MIT
"""The rows: what happens to the clients when a part goes."""

import glob
import http.client
import os
import signal
import threading
import time

import fronts
import page
import world


def pair(place, redis=True, delay=0.0):
    if redis:
        place.start_redis()
    place.start_servers(2)
    place.start_nginx()
    place.origin.delay = delay
    return place


def cold(place):
    """Two servers, one cold picture."""
    pair(place, delay=0.5)
    return place.stampede(1).row(1)


def slow(place):
    """The origin takes longer than a lease, which is renewed meanwhile."""
    pair(place, delay=3)
    return place.stampede(1).row(1, "the origin takes 3 s, a lease stands 2 s")


def leader(place):
    """The server that works dies, and its clients go to the other."""
    pair(place, delay=1)
    crowd = place.stampede(1)
    place.origin.wait(1)
    time.sleep(0.3)
    # The one with a connection to the origin.
    holder = next(server for server in place.servers if is_connected(server.process.pid, place.origin.port))
    holder.stop(signal.SIGKILL)
    return crowd.row(2, "the other takes over when the lease ends")


def is_connected(process, port):
    """Whether a process has a connection to a port of this machine."""

    inodes = set()
    for path in glob.glob(f"/proc/{process}/fd/*"):
        try:
            inodes.add(os.readlink(path))
        except OSError:
            pass
    with open("/proc/net/tcp") as table:
        for line in table.readlines()[1:]:
            words = line.split()
            if words[2].endswith(f":{port:04X}") and f"socket:[{words[9]}]" in inodes:
                return True
    return False


def redis_killed(place):
    pair(place, delay=1.5)
    crowd = place.stampede(1)
    place.origin.wait(1)
    time.sleep(0.3)
    place.redis.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    place.origin.wait(2)
    return crowd.row(2, f"the other began {1e3 * (time.monotonic() - killed):.0f} ms later")


def redis_hung(place):
    pair(place, delay=1.5)
    crowd = place.stampede(1)
    place.origin.wait(1)
    time.sleep(0.3)
    place.redis.send_signal(signal.SIGSTOP)
    stopped = time.monotonic()
    place.origin.wait(2)
    noticed = time.monotonic() - stopped
    row = crowd.row(2, f"noticed after {1e3 * noticed:.0f} ms")
    if noticed > 2:  # the promise is 500 ms; a busy machine gets some more
        row.losses.append("a server that hangs was noticed late")
    return row


def redis_hung_before(place):
    pair(place, delay=0.2)
    place.redis.send_signal(signal.SIGSTOP)
    return place.stampede(1).row(2)


def redis_absent(place):
    pair(place, redis=False, delay=0.2)
    return place.stampede(1).row(2)


def warm(place):
    """A server that has just started has what the others have made."""
    pair(place)
    first = place.stampede(1).row(1)
    place.start_servers(1)
    place.port = place.servers[-1].port
    row = place.stampede(1).row(1, "a third server, started later")
    row.losses += first.losses
    return row


def term(place):
    """SIGTERM under load: nginx takes the requests elsewhere, and none that was begun is lost."""
    pair(place, delay=0.05)
    end, replies, lock, next_number = threading.Event(), [], threading.Lock(), iter(range(1_000_000))

    def client():
        connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=world.LIMIT)
        while not end.is_set():
            with lock:
                number = next(next_number)
            # Two of three pictures are in memory.
            reply = world.ask(place.port, place.address(number if number % 3 == 0 else number % 7), connection)
            with lock:
                replies.append(reply)

    threads = [threading.Thread(target=client, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    place.servers[0].stop(signal.SIGTERM)
    status = place.servers[0].process.wait(world.LIMIT)
    time.sleep(1)
    end.set()
    for thread in threads:
        thread.join(world.LIMIT)
    served = [reply for reply in replies if reply.status == 200]
    row = world.Row(f"{len(served)}/{len(replies)}", place.origin.asked, min(r.seconds for r in served),
                    max(r.seconds for r in served), [f"exit status {status}"])
    if len(served) < len(replies):
        bad = sorted({(reply.status, reply.body[:100]) for reply in replies if reply.status != 200})
        row.losses.append(f"{len(replies) - len(served)} requests were lost: {bad[:3]}")
    if status != 0:
        row.losses.append("the server has dropped work")
    return row


def replicas(place):
    """Three replicas without a store, each source with one home; one dies."""
    place.start_servers(3, shares=False, caches=True)
    place.start_nginx("hash $source consistent;")
    count = 300

    def round_of(options):
        """Eight clients ask for all pictures once; the replies by number."""
        replies, numbers, lock = {}, iter(range(count)), threading.Lock()

        def client():
            connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=world.LIMIT)
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                reply = world.ask(place.port, place.address(number, options), connection)
                with lock:
                    replies[number] = reply

        threads = [threading.Thread(target=client, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(world.LIMIT)
        return replies

    before, again = round_of("w60"), round_of("w30")
    asked = place.origin.asked
    victim = f"127.0.0.1:{place.servers[0].port}"
    place.servers[0].stop(signal.SIGKILL)
    after = round_of("w60")
    homes = {number: reply.server for number, reply in before.items()}
    # A request that came to the dead one first names both.
    moved = [number for number in homes if after[number].server.split(", ")[-1] != homes[number]]
    share = [number for number in homes if homes[number] == victim]
    shares = sorted(list(homes.values()).count(server) for server in set(homes.values()))
    everything = [*before.values(), *again.values(), *after.values()]
    served = [reply for reply in everything if reply.status == 200]
    row = world.Row(f"{len(served)}/{3 * count}", place.origin.asked, min(r.seconds for r in served),
                    max(r.seconds for r in served), [f"shares {shares}", f"moved {len(moved)} of {len(share)}"])
    if len(served) < 3 * count:
        row.losses.append(f"statuses {sorted({reply.status for reply in everything})}")
    if asked != count:
        row.losses.append(f"two sizes of {count} pictures were {asked} requests at the origin")
    if any(again[number].server != homes[number] for number in homes):
        row.losses.append("two sizes of one picture had different homes")
    if set(moved) != set(share):
        row.losses.append(f"{len(set(moved) ^ set(share))} pictures moved that should not, or did not")
    if place.origin.asked - asked != len(share):
        row.losses.append("not the lost share alone was fetched again")
    return row


def cached(kind):
    """A cache in front keeps a picture for what is left of its lifetime, also where the origin names none."""
    def row(place):
        if not kind.is_installed():
            return world.Row(notes=["skipped: not installed"])
        place.origin.lifetime = None
        place.start_servers(1, "--max-age", "6", shares=False)
        place.front = front = kind(place.folder, place.servers[0].port)
        path = place.address(1)
        front.ask(place.address(2))  # what the front needs to begin with
        world.ask(place.servers[0].port, path)
        started = time.monotonic()  # the picture has at most 6 s from here on
        time.sleep(max(0, started + 3 - time.monotonic()))
        kept, again = front.ask(path), front.ask(path)
        place.origin.version = 1
        time.sleep(max(0, started + 7.5 - time.monotonic()))
        changed = front.ask(path)
        row = world.Row("3/3", place.origin.asked, 0, time.monotonic() - started, ["6 s, of which 3 are over"])
        if [kept.status, again.status, changed.status] != [200, 200, 200]:
            row.losses.append(f"statuses {kept.status}, {again.status}, {changed.status}")
        if again.id != kept.id or again.body != kept.body:
            row.losses.append("the front keeps no copy")
        if changed.body == kept.body:
            row.losses.append("an old picture after its lifetime")
        return row
    return row


def heads(place):
    """Heads of every size, with a cookie and without: each has an answer, and the other clients have theirs."""
    place.start_servers(2, shares=False)
    place.start_nginx()
    replies, others = [], []
    for name in ("Cookie", "X"):
        for size in range(0, 16_000, 100):
            fields = {name: "y" * min(size, 7_900), "Y": "y" * max(0, size - 7_900)}
            for port in (place.port, place.servers[0].port):
                replies.append(world.ask(port, place.address(1), fields=fields))
            others.append(world.ask(place.port, place.address(2)))
    served = [reply for reply in replies + others if reply.status == 200]
    row = world.Row(f"{len(served)}/{len(replies + others)}", place.origin.asked, min(r.seconds for r in served),
                    max(r.seconds for r in served), [f"{sum(r.status == 431 for r in replies)} are too large"])
    # nginx says 400 to a head that is too large for itself.
    if bad := sorted({reply.status for reply in replies} - {200, 400, 431}):
        row.losses.append(f"heads were answered with {bad}")
    if bad := sorted({reply.status for reply in others} - {200}):
        row.losses.append(f"other clients were answered with {bad}")
    return row


def dead_origin(place):
    """An origin that does not answer is no fault of a server: no picture changes its home."""
    place.start_servers(2, shares=False)
    place.start_nginx("hash $source consistent;")
    before = [world.ask(place.port, place.address(number)).server for number in range(40)]
    dead = [world.ask(place.port, place.signed(f"http://127.0.0.1:1/{number}.png")) for number in range(20)]
    after = [world.ask(place.port, place.address(number)).server for number in range(40)]
    moved = sum(old != new for old, new in zip(before, after))
    row = world.Row(f"{sum(bool(server) for server in before + after)}/80", place.origin.asked, 0, 0,
                    [f"homes {sorted(before.count(server) for server in set(before))}", f"moved {moved}"])
    if {reply.status for reply in dead} != {502}:
        row.losses.append(f"a dead origin is {sorted({reply.status for reply in dead})}")
    if moved or len(set(before)) != 2:
        row.losses.append(f"{moved} of 40 pictures have another home")
    return row


ROWS = {"cold": cold, "slow origin": slow, "warm": warm, "leader killed": leader, "redis killed": redis_killed,
        "redis hung": redis_hung, "redis hung first": redis_hung_before, "no redis": redis_absent,
        "SIGTERM": term, "replicas": replicas, "heads": heads, "dead origin": dead_origin,
        "nginx's cache": cached(fronts.Nginx), "Varnish": cached(fronts.Varnish), "Squid": cached(fronts.Squid),
        "browser": cached(fronts.Browser), "page": page.page_row}

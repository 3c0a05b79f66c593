# SPDX-License-Identifier: MIT
"""What is measured of the contenders. Each photo is asked for once, so no cache has it, but where a row says so."""
import asyncio, calendar, io, itertools, json, selectors, socket, statistics, tempfile, time
from collections import Counter
from PIL import Image
from contenders import CONTENDERS, Group, ImageServer

NUMBERS = itertools.count()  # of photos, each asked for once


def contenders(options):
    """Those that are wanted and there, in turn."""
    for name in options.only or CONTENDERS:
        missing = [f"{path} is not there: {advice}" for path, advice in CONTENDERS[name].needs.items()
                   if not path.exists()]
        if missing: print(f"skipped: {name}, because {missing[0]}", flush=True)
        else: yield CONTENDERS[name]


def line(*cells): print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def table(*heads):
    line(*heads)
    print("|" + "---|" * len(heads), flush=True)


def share(sorted_waits, part): return sorted_waits[min(len(sorted_waits) - 1, int(len(sorted_waits) * part))]


class Run:
    """Clients that ask at once, each for its own photos, one after the other on one connection."""

    def __init__(self): self.waits, self.statuses, self.retries = [], Counter(), 0

    async def ask(self, server, clients, urls, format="jpeg"):
        urls, begin = iter(urls), asyncio.Event()

        async def client():
            connection = await server.connect()
            await begin.wait()
            for url in urls:
                start = time.monotonic()
                try:
                    status, head, _ = await server.ask(connection, url, format)
                except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                    self.statuses["none"] += 1
                    try:
                        connection = await server.connect()
                    except OSError:  # the server was killed
                        self.statuses["none"] += sum(1 for _ in urls)
                    continue
                self.statuses[status] += 1
                self.retries += b"Retry-After" in head
                if status == 200: self.waits.append(time.monotonic() - start)
            server.close(connection)

        tasks = [asyncio.create_task(client()) for _ in range(clients)]
        await asyncio.sleep(0.2 + clients / 2_000)
        before, start = server.processor_seconds(), time.monotonic()
        begin.set()
        await asyncio.gather(*tasks)
        self.seconds = time.monotonic() - start
        self.processor = server.processor_seconds() - before if server.peak() else 0
        self.waits.sort()
        return self

    @property
    def answers(self): return ", ".join(f"{count} × {status}" for status, count in self.statuses.most_common())


def photos(origin, count, megapixels=0, delay=0):
    return [origin.url(next(NUMBERS), megapixels, delay) for _ in range(count)]


def likeness(one, other):
    """SSIM of the grey values, over blocks of 8 pixels that overlap by half."""
    (width, height), one, other = one.size, one.convert("L").tobytes(), other.convert("L").tobytes()
    found = []
    for x, y in itertools.product(range(0, width - 7, 4), range(0, height - 7, 4)):
        starts = [row * width + x for row in range(y, y + 8)]
        a, b = (b"".join(grey[start:start + 8] for start in starts) for grey in (one, other))
        (a1, b1), square = (sum(a) / 64, sum(b) / 64), lambda p, q: sum(map(int.__mul__, p, q)) / 64
        va, vb, both = square(a, a) - a1 * a1, square(b, b) - b1 * b1, square(a, b) - a1 * b1
        found.append((2 * a1 * b1 + 6.5) * (2 * both + 58.5) / ((a1 * a1 + b1 * b1 + 6.5) * (va + vb + 58.5)))
    return statistics.mean(found)


async def pictures(origin, options):
    """JPEG and WebP of 500 pixels from photos of 2 to 12 megapixels; the contenders take turns."""
    servers = [each(origin) for each in contenders(options)]
    for server in servers: await server.ready()
    costs, peaks, sizes = {}, {}, {}
    runs = [("jpeg", 8, options.count)]
    runs += [("jpeg", 1, options.count // 4), ("jpeg", 64, options.count), ("webp", 8, options.count // 2)]
    for turn in range(options.rounds):
        for format, clients, count in runs:
            for server in servers:
                if format not in server.formats: continue
                run = await Run().ask(server, clients, photos(origin, count), format)
                assert run.statuses[200] == count, f"{server.name}: {run.answers}"
                costs.setdefault((server.name, format), []).append(run.processor / count * 1e3)
                peaks.setdefault(server.name, server.peak())
                sizes.setdefault((server.name, format, clients), []).append(
                    (count / run.seconds, statistics.median(run.waits) * 1e3, share(run.waits, 0.99) * 1e3))
    table("2 to 12 MP → 500 px", "JPEG, processor ms", "WebP", f"peak MB, {options.count} photos, 8 clients",
          "pictures/s · p50/p99 ms: 1 client", "8", "64", "JPEG SSIM, bytes", "WebP")
    for server in servers:
        cells = ["–".join(f"{edge(costs[key]):.0f}" for edge in (min, max)) if key in costs else "none"
                 for key in ((server.name, "jpeg"), (server.name, "webp"))]
        speed = []
        for clients in 1, 8, 64:
            rate, half, late = map(statistics.median, zip(*sizes[server.name, "jpeg", clients]))
            speed.append(f"{rate:.0f} · {half:.0f}/{late:.0f}")
        cells += [peaks[server.name] >> 20, *speed]
        for format in "jpeg", "webp":
            cells.append(await quality(server, origin, format) if format in server.formats else "none")
        line(server.name, *cells)
        server.stop()


async def quality(server, origin, format):
    """SSIM to what Pillow's Lanczos makes of the photo, and the bytes, for three photos."""
    found, connection = [], await server.connect()
    for megapixels in 2, 6, 12:
        url = photos(origin, 1, megapixels)[0]
        original = Image.open(io.BytesIO(await origin.fetch(url)))
        made = (await server.ask(connection, url, format))[2]
        picture = Image.open(io.BytesIO(made)).convert("RGB")
        found.append((likeness(picture, original.convert("RGB").resize(picture.size, Image.LANCZOS)), len(made)))
    server.close(connection)
    return "{:.4f}, {:,.0f}".format(*map(statistics.mean, zip(*found)))


async def order(origin, options):
    """As many clients as photos, all at once: when the first, the middle and the ninetieth answer of a hundred come."""
    title = f"{options.clients} clients, {options.clients} photos"
    table(title, "first answer, of the whole", "median", "p90", "whole, s")
    for turn in range(options.rounds):
        for kind in contenders(options):
            server = kind(origin)
            await server.ready()
            run = await Run().ask(server, options.clients, photos(origin, options.clients))
            server.stop()
            places = (run.waits[0], statistics.median(run.waits), share(run.waits, 0.9))
            line(server.name, *(f"{each / run.waits[-1]:.2f}" for each in places), f"{run.waits[-1]:.1f}")


async def overload(origin, options):
    """Half of the clients and one photo of a slow origin; then all of them and a photo each."""
    table("clients", "server", "answers", "with Retry-After", "requests at the origin", "s", "peak MB, before")
    for kind in contenders(options):
        if not kind.isServer: continue
        server = kind(origin)
        await server.ready()
        half = options.clients // 2
        for title, urls in ("one photo", photos(origin, 1, delay=800) * half), (
            "a photo each", photos(origin, options.clients)):
            before = server.peak() >> 20
            await origin.count()
            run = await Run().ask(server, len(urls), urls)
            line(f"{len(urls)}, {title}", server.name, run.answers, run.retries, await origin.count(),
                 f"{run.seconds:.1f}", f"{server.peak() >> 20}, {before}")
        server.stop()


async def group(origin, options):
    """Photos of 12 megapixels in a control group, a client each; and 64 clients that ask again and again."""
    table("group", "clients × photos", "server", "answers", "kills", "peak of the group, MB", "of the process",
          "median s", "slowest / median", "whole, s")
    clients, lost = options.clients, 0
    for megabytes, count, total in (512, clients, clients), (256, clients // 5, clients // 5), (512, 64, clients):
        for kind in contenders(options):
            if not kind.isServer: continue
            limit = Group.made(megabytes)
            if not limit: raise SystemExit("This machine lets no control group be made; root may do it.")
            server = kind(origin, group=limit)
            await server.ready()
            run = await Run().ask(server, count, photos(origin, total, megapixels=12))
            half = statistics.median(run.waits) if run.waits else 0
            slowest = f"{run.waits[-1] / half:.2f}" if half else "none"
            line(f"{megabytes} MB", f"{count} × {total}", server.name, run.answers, limit.kills, limit.peak >> 20,
                 server.peak() >> 20, f"{half:.1f}", slowest, f"{run.seconds:.1f}")
            lost += kind is ImageServer and (limit.kills > 0 or run.statuses[200] < total)
            server.stop()
            limit.end()
    if lost: raise SystemExit(f"image-server lost clients in {lost} of 3 groups.")


async def burst(origin, options):
    """Connections that come at once, each with its request for a photo; what the log of the server says of them."""
    with tempfile.NamedTemporaryFile("r") as log:
        server = ImageServer(origin, log=open(log.name, "w"))
        await server.ready()
        sent, came = await asyncio.to_thread(send_burst, server, photos(origin, options.clients))
        server.stop()
        requests = {each["target"]: each for each in map(json.loads, log) if "target" in each}
    if len(came) < len(sent): raise SystemExit(f"{len(sent) - len(came)} clients have no answer.")
    refused = [target for target, (status, head) in came.items() if status == 503]
    without = sum(b"Retry-After" not in came[target][1] for target in refused)
    took = sorted(requests[target]["milliseconds"] for target in refused)
    ends = {target: datetime(requests[target]["time"]) for target in refused}
    late = sorted((ends[target] - sent[target]) * 1e3 for target in refused)
    table("clients, ms for all to ask", "answers", "503 without Retry-After",
          "503 in the log: ms from the head, median", "most", "ms from the client's call, median", "most", "over 100")
    answers = ", ".join(f"{count} × {status}" for status, count in Counter(each for each, _ in came.values()).items())
    late_ones = sum(each > 100 for each in late)
    figures = [f"{each[len(each) // 2]:.2f} | {each[-1]:.2f}" if each else "none | none" for each in (took, late)]
    span = (max(sent.values()) - min(sent.values())) * 1e3
    line(f"{len(sent)}, {span:.0f}", answers, without, *figures, late_ones)


def datetime(text):
    whole, _, part = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + part)


def send_burst(server, urls):
    """Sends all requests before it reads an answer, and keeps each connection until the end, as a proxy does.

    Returns when each was sent, and the status and head of each.
    """
    sent, came, selector, clients = {}, {}, selectors.DefaultSelector(), []
    for url in urls:
        target, client = server.target(url, "jpeg"), socket.socket()
        client.connect(("127.0.0.1", server.port))
        client.send(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        sent[target] = time.time()
        clients.append((client, target))
    for client, target in clients: selector.register(client, selectors.EVENT_READ, target)
    while selector.get_map():
        ready = selector.select(60)
        if not ready: break
        for key, _ in ready:
            try:
                head = key.fileobj.recv(65_536)
            except OSError:
                head = b""
            if head: came[key.data] = int(head.split(b" ", 2)[1]), head
            selector.unregister(key.fileobj)
    for client, _ in clients: client.close()
    return sent, came


ROWS = {"pictures": pictures, "order": order, "overload": overload, "group": group, "burst": burst}
CLIENTS = {"order": 100, "overload": 1_000, "group": 500, "burst": 2_000}

"""Attacks on the cache folder: processes that are killed while they share it."""

import random

import bombs
from child import Child, Row, run
from origin import Origin, answer
from pictures import code, fetch

PICTURES = 200  # for each round


def picture(number):
    """A PNG of noise, some 12 kB, the same for the same number."""
    noise = random.Random(number)
    rows = b"".join(b"\0" + noise.randbytes(64 * 3) for _ in range(64))
    return bombs.png(64, 8, 2, data=bombs.zlib.compress(rows, 0))


def kill_row(field):
    """Four processes on one folder, killed again and again; then every picture must be right, and the folder small."""
    row = Row("kill -9 of 4 processes, one folder")
    chance = random.Random(7)
    cache = field.folder / "cache"

    def reply(path, headers, connection):
        connection.sendall(answer(picture(int(path.strip("/p")))))

    def wrong(folder):
        """The pictures in a folder that are not what the origin sent; their names begin with their number."""
        for file in folder.glob("p*.png"):
            if file.read_bytes() != picture(int(file.name.split("-")[0][1:])):
                yield file.name

    turns = 8 if field.quick else 60
    with Origin(reply) as origin:
        # Each round stores pictures of its own, so that it is killed while it stores.
        urls = [origin.url(f"/p{number}") for number in range(PICTURES * turns)]
        for turn in range(turns):
            children = []
            for number in range(4):
                some = urls[turn * PICTURES:][:PICTURES] + chance.sample(urls[:(turn + 1) * PICTURES], 10)
                chance.shuffle(some)
                listed = field.folder / f"list-{number}"
                listed.write_text("\n".join(some) + "\n")
                out = field.folder / f"out-{number}"
                command = [field.fetch, "--allow-private", "--quiet", "--cache", cache, "--out", out, "--input", listed]
                children.append(Child([*command, "--concurrency", "4"], limit=30))
            for child in children:
                field.wait(chance.uniform(0.02, 0.15))
                child.kill()
            for child in children:
                child.result()
                row.tried, row.survived = row.tried + 1, row.survived + 1
        command = [field.fetch, "--allow-private", "--json", "--cache", cache, "--out", field.folder / "verified"]
        listed.write_text("\n".join(urls) + "\n")
        asked = len(origin.hits)
        result = run([*command, "--input", listed], limit=120)
        row.judge(result.status == 0, f"the verification ended with {result.status}", result)
        row.notes.append(f"{len(urls) - len(origin.hits) + asked} of {len(urls)} verified from the folder")
        for name in ("verified", "out-0", "out-1", "out-2", "out-3"):
            bad = list(wrong(field.folder / name))
            row.judge(not bad, f"{name}: wrong pictures {bad[:5]}")
        limit = 1_000_000
        words = ["--cache", cache, "--cache-limit", str(limit), "--allow", "127.0.0.1"]
        result = run([field.attack, "load", *words, *urls[:20]], limit=60)
        size = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
        row.judge(size <= limit, f"{size} bytes are left where {limit} are allowed")
        row.judge(result.output.count(" ok ") == 20, f"{result.output.count(' ok ')} of 20 pictures came")
        row.notes.append(f"{size / 1e6:.2f} MB left of a limit of {limit / 1e6:.2f}")
    return row


ROWS = {"kill": kill_row}

"""Attacks on folders: processes that are killed while they share a cache, and names that lead out of a folder."""

import random
import unicodedata

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


def names():
    """Last parts of paths that would be another file, or change what a terminal shows, if they were taken as they are."""
    yield from ("..%2f..%2fout.png", "%2e%2e/%2e%2e/out.png", "..%5c..%5cout.png", "%2Ftmp%2Fout.png", "..", ".", "%2e%2e", "",
                ".png", ".bashrc", "-rf.png", "~root.png", "con.png", "aux", "a%00b.png", "a%0ab.png", "a%0d%0ab.png",
                "%1b[2J.png", "%1b]0;title%07.png", "%c2%9b31m.png", "%e2%80%aegnp.exe", "%e2%80%8b.png", "%ef%bb%bf.png", "%ff%fe.png",
                "%c0%ae%c0%ae%2fout.png", "a" * 300 + ".png", "%f0%9f%98%80" * 90 + ".png", "a.png%20", "a.png%2e", "a:b.png",
                "a.png;b=c", "$(id).png", "`id`.png", "a|id.png", "%2a.png", "a%2500b.png", "%252e%252e%252fout.png")


def name_row(field):
    """Every file is within the folder, and nothing that is printed controls a terminal or turns its text."""
    row = Row("names of files")
    folder = field.folder / "named"
    out = folder / "a" / "b" / "c"
    out.mkdir(parents=True)

    def reply(path, headers, connection):
        name = path.rpartition("/")[2]
        connection.sendall(answer(picture(1), Content_Disposition=f'attachment; filename="../../{name}"'))

    with Origin(reply) as origin:
        urls = [origin.url(f"/{name}{query}") for name in names() for query in ("", "?../../../out.png")]
        listed = field.folder / "named-urls"
        listed.write_text("\n".join(urls) + "\n")
        for words in ([], ["--json"]):
            result = run([field.fetch, "--no-cache", "--allow-private", "--out", out, *words, "--input", listed], limit=60)
            row.judge(result.status in (0, 1), f"fetch {words} ended with {result.status}", result)
            for letter in sorted(set(result.output + result.errors) - set("\n\t")):
                row.judge(unicodedata.category(letter) not in ("Cc", "Cf", "Zl", "Zp"), f"{words}: {letter!r} is printed")
            for file in field.folder.rglob("*"):
                inside = file.parent == out
                if file.is_file() and (inside or file.is_relative_to(folder) or file.name == "out.png"):
                    row.judge(inside, f"{words}: {file} was written")
        row.judge(any(out.iterdir()), "no file was written at all")
    return row


ROWS = {"kill": kill_row, "file-names": name_row}

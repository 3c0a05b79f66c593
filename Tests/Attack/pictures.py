"""Attacks on the coders, one process for each file: bombs, disguises, damage."""

import json
import os
import subprocess
import sys

import bombs
from child import Child, MemoryGroup, Row, run
from origin import Origin, answer

MOST_MEMORY, HEADER_MEMORY = 256, 30  # MB: of the process, and beyond an idle process
# One pixel, and a picture that is large enough to be decoded by the threads.
TINY = b"GIF89a\1\0\1\0\x80\0\0" + bytes(6) + b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;"
PLAIN = bombs.png(200)


def fetch(field, urls, *options, **limits):
    """One run of `fetch` without a cache; the outcomes by URL."""
    command = [field.fetch, "--no-cache", "--allow-private", "--json", "--out", field.folder / "out", *options]
    listed = field.folder / "urls"
    listed.write_text("\n".join(urls) + "\n")
    result = run([*command, "--input", listed], **limits)
    lines = [json.loads(line) for line in result.output.splitlines() if line.startswith("{")]
    return result, {line["url"]: line for line in lines}


def load(field, *words, environment=None, limit=60):
    """One run of the program; the codes by URL, and milliseconds."""
    result = run([field.attack, "load", *words], environment=environment, limit=limit)
    lines = [line.split(" ", 3) for line in result.output.splitlines()]
    return result, {line[2]: (line[1], float(line[0])) for line in lines if len(line) > 2}


def code(outcome):
    return "none" if outcome is None else "ok" if outcome["ok"] else outcome["error"]["code"]


def on_disk(field):
    """The bombs as files, so that this process stays small. The suffix says what the header alone must tell."""
    folder = field.folder / "bombs"
    if not folder.exists():
        folder.mkdir()
        for program in ([field.attack, "bombs"], [sys.executable, "-B", bombs.__file__]):
            subprocess.run([*program, folder], check=True)
    return {file.stem: file for file in sorted(folder.iterdir())}


def serve(field):
    def reply(path, headers, connection):
        name = path.lstrip("/").partition("?")[0]
        if name in ("tiny", "plain"):
            return connection.sendall(answer(TINY if name == "tiny" else PLAIN))
        file = on_disk(field)[name]
        connection.sendall(answer(b"", Content_Length=str(file.stat().st_size)))
        with open(file, "rb") as data:
            connection.sendfile(data)

    return Origin(reply)


def bomb_row(field):
    """Each bomb alone, a PNG also as a thumbnail, row by row: memory, processor time, and no crash."""
    row = Row("bombs, one at a time")
    with serve(field) as origin:
        idle, outcomes = fetch(field, [origin.url("/tiny")])
        row.judge(code(outcomes.get(origin.url("/tiny"))) == "ok", "the small picture was refused", idle)
        row.notes.append(f"idle {idle.memory:.0f} MB")
        files = on_disk(field).items()
        small = [(*item, ("--resize", "500x")) for item in files if item[0].startswith("png-")]
        for name, file, options in [(*item, ()) for item in files] + small:
            megabytes = file.stat().st_size / 1e6
            # A second, what the limits allow, and three times that for slow machines.
            seconds = 3 * (2 + 0.25 * max(0, megabytes - 1))
            is_header = file.suffix == ".header" and not options
            memory = idle.memory + HEADER_MEMORY if is_header else MOST_MEMORY + megabytes
            url = origin.url(f"/{name}")
            result, outcomes = fetch(field, [url], *options, limit=120, cpu=seconds)
            end = code(outcomes.get(url))
            name += " --resize" if options else ""
            if field.verbose:
                print(f"    {name:28} {end:20} {result.memory:5.0f} MB {result.cpu:5.1f} s", flush=True)
            fits = result.memory <= memory and result.cpu <= seconds and end != "none"
            row.judge(fits, f"{name}: {end}, {result.memory:.0f} MB of {memory:.0f}, {result.cpu:.1f} s", result)
    return row


def crowd_row(field):
    """Twenty bombs at once in a process that may use 512 MB."""
    row = Row("20 bombs at once in 512 MB")
    group = MemoryGroup(512)
    if not group.path:
        row.notes.append(f"SKIPPED: no memory group can be made here ({group.reason})")
        return row
    names = ["webp-canvas-7000", "webp-256-988", "webp-5000-lossless", "gif-7071", "webp-7071-lossless",
             "png-7071-16bit", "jpg-prog-49MP-20", "gif-50-988-disp3", "png-5000-1bit", "png-5000-1bit"]
    try:
        with serve(field) as origin:
            urls = [origin.url(f"/{name}?{turn}-{number}") for number, name in enumerate(names) for turn in range(2)]
            assert set(names) <= set(on_disk(field))
            result, outcomes = fetch(field, urls, "--concurrency", "20", limit=150, memory_group=group.path)
        row.judge(len(outcomes) == len(urls), f"only {len(outcomes)} of {len(urls)} outcomes", result)
        # Those that fit share the budget, one after the other; the rest is refused from the header.
        decoded = sum(code(outcome) == "ok" for outcome in outcomes.values())
        row.judge(decoded >= 4, f"{decoded} of 4 that fit were decoded")
        row.notes.append(f"{decoded} decoded")
        row.tried = len(urls)
        row.survived = len(urls) if not row.losses else 0
    finally:
        group.remove()
    return row


def disguise_row(field):
    """Endless bodies that are no picture, called one: how much is taken before the connection is closed."""
    row = Row("disguises, endless bodies")
    disguises = {
        "html": b"<!DOCTYPE html><html><body>", "svg": b'<svg xmlns="http://www.w3.org/2000/svg">',
        "pdf": b"%PDF-1.7\n", "zip": b"PK\x03\x04\x14\0\0\0", "text": b"Once upon a time\n", "zeros": bytes(64),
        "script": b"#!/bin/sh\nexit\n", "comment": b"<!-- ", "elf": b"\x7fELF\x02\x01\x01",
    }
    most = 8 << 20
    worst = 0
    for name, start in disguises.items():
        for chunked in (False, True):
            def reply(path, headers, connection):
                block = (start + b"a" * 65536)[:65536]
                if chunked:
                    connection.sendall(answer(b"", Transfer_Encoding="chunked", Content_Length=""))
                    origin.pour(connection, b"10000\r\n" + block + b"\r\n", 1600)
                else:
                    connection.sendall(answer(b"", Content_Length="99000000"))
                    origin.pour(connection, block, 1510)

            with Origin(reply) as origin:
                result, outcomes = fetch(field, [origin.url("/a.png")], limit=60)
                end = code(outcomes.get(origin.url("/a.png")))
            worst = max(worst, origin.sent)
            row.judge(end not in ("ok", "none") and origin.sent <= most,
                      f"{name}: {end} after {origin.sent / 1e6:.1f} MB", result)
    row.notes.append(f"at most {worst / 1e6:.2f} MB taken of 99 MB, the buffers of the sockets included")
    return row


def cancel_row(field):
    """Cancelled decodes must leave the threads to the next picture."""
    row = Row("cancelled bombs")
    on_disk(field)
    with serve(field) as origin:
        for name in ("png-idat-20GB", "png-7071-16bit", "gif-50-988-disp3", "jpg-prog-49MP-98"):
            child = Child([field.attack, "cancel", origin.url(f"/{name}"), origin.url("/plain")], limit=60)
            while len(origin.hits) < 2 and not child.hung:
                field.wait(0.02)
            field.wait(0.7)
            child.tell()
            result = child.result()
            milliseconds = float(result.output or "nan")
            row.judge(milliseconds < 3000, f"{name}: the next picture came after {milliseconds} ms", result)
            row.notes.append(f"{name} {milliseconds:.0f} ms")
            origin.hits.clear()
    # The program is built with sanitizers, which take memory of their own.
    row.memory = 0
    return row


def fuzz_row(field):
    """Damaged files for each codec and damaged cache files, under the sanitizers."""
    row = Row("fuzz")
    workers = 1 if field.seed is not None else min(os.cpu_count() or 1, 8)
    first = 1 if field.seed is None else field.seed
    count = 10 ** 9 if field.seed is None else 1
    children = []
    for number in range(workers):
        state = field.folder / f"fuzz-{number}"
        command = [field.attack, "fuzz", state, first + number, workers, count, field.seconds]
        children.append((state, Child(command, limit=field.seconds + 60)))
    accepted = 0
    for state, child in children:
        result = child.result()
        if result.status == 0:
            tried, kept = map(int, result.output.split())
            row.tried, row.survived, accepted = row.tried + tried, row.survived + tried, accepted + kept
        else:
            seed, kind = state.read_text().split()[:2]
            row.judge(False, f"{kind}, replay with --seed {seed}", result)
    row.memory = 0
    row.notes.append(f"{accepted} accepted; sanitizers: {field.sanitizers}")
    return row


def number_row(field):
    """Numbers that must not end the process, and shutdowns that must return."""
    row = Row("numbers and shutdowns")
    cases = [("number", name) for name in ("enlarge", "enlarge-fill", "narrow", "duration", "negative", "largest")]
    cases += [("shutdown", name) for name in ("for-ever", "modifier", "stubborn", "cancelled")]
    for command, name in cases:
        result = run([field.attack, command, name], limit=20)
        row.judge(result.output.strip() == "returned", f"{command} {name}", result)
    row.memory = 0
    return row


ROWS = {"bombs": bomb_row, "crowd": crowd_row, "disguises": disguise_row, "cancel": cancel_row, "numbers": number_row,
        "fuzz": fuzz_row}

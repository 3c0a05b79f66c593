#!/usr/bin/env python3
"""Compares what `fetch` decodes with what Pillow decodes, over an nginx on loopback.

    Tests/Acceptance/compare-with-pillow.py .build/debug/fetch

Needs nginx and Pillow. Prints a line for each picture and ends with status 1 when one differs. Compared are width,
height and frames of the file as it came, and the pixels of `--format png` (of the first frame, and of all frames of
GIFs, through `--format gif`): exactly for lossless formats, within a tolerance for JPEG and WebP. Where a pixel is
translucent its colour is compared premultiplied by its alpha, within 1: that is how decoded pictures are held.
"""
import json, random, shutil, signal, socket, struct, subprocess, sys, tempfile, time, zlib
from pathlib import Path
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps, ImageSequence

LOSSY = 2  # levels of 255: rounding in the colour conversion, not another picture


def photo(width, height, mode="RGB"):
    """Noise over a gradient over shapes: nothing that a decoder could get right by accident."""
    image = Image.merge("RGB", [Image.linear_gradient("L").rotate(90 * i).resize((width, height)) for i in range(3)])
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y, r = random.randrange(width), random.randrange(height), random.randrange(1, max(2, width // 4))
        draw.ellipse((x - r, y - r, x + r, y + r), fill=tuple(random.randrange(256) for _ in range(3)))
    noise = Image.effect_noise((width, height), 40).convert("RGB")
    image = ImageChops.add(image, noise, scale=2)
    if mode in ("RGBA", "LA"):
        image.putalpha(Image.radial_gradient("L").resize((width, height)))
    return image.convert(mode)


def png(width, height, depth, color, rows, interlace=0):
    """A PNG that Pillow cannot write."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def adam7(image):
    for x, y, right, down in [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]:
        for row in range(y, image.height, down):
            if x < image.width:
                yield b"".join(bytes(image.getpixel((column, row))) for column in range(x, image.width, right))


def make_pictures(folder):
    def save(name, image, **options):
        image.save(folder / name, **options)

    for width, height in [(1, 1), (1, 500), (500, 1), (7, 13), (640, 480), (1921, 1083), (4000, 3000)]:
        save(f"{width}x{height}.jpg", photo(width, height), quality=90)
        save(f"{width}x{height}.png", photo(width, height), compress_level=1)
        save(f"{width}x{height}.webp", photo(width, height), quality=80, method=0)
    for width, height in [(1, 1), (7, 13), (1921, 1083)]:
        save(f"{width}x{height}.gif", photo(width, height).quantize(200))
    base = photo(321, 243)
    save("progressive.jpg", base, progressive=True)
    save("progressive-12mp.jpg", photo(4000, 3000), progressive=True)
    save("444.jpg", base, subsampling=0)
    save("422.jpg", base, subsampling=1)
    save("420.jpg", base, subsampling=2)
    save("grey.jpg", base.convert("L"))
    save("cmyk.jpg", base.convert("CMYK"))
    save("cmyk-progressive.jpg", base.convert("CMYK"), progressive=True)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        save(f"exif-{orientation}.jpg", base, exif=exif)
    save("exif-8.png", base, exif=exif)
    save("exif-8-lossless.webp", base, exif=exif, lossless=True)
    save("palette.png", base.quantize(256))
    save("palette-4.png", base.quantize(16), bits=4)
    save("palette-2.png", base.quantize(4), bits=2)
    save("palette-transparent.png", base.quantize(64), transparency=bytes(range(0, 256, 4)))
    save("rgba.png", photo(321, 243, "RGBA"))
    save("grey.png", base.convert("L"))
    save("grey-alpha.png", photo(321, 243, "LA"))
    save("1-bit.png", base.convert("1"))
    save("trns-rgb.png", base.quantize(16).convert("RGB"), transparency=base.quantize(16).convert("RGB").getpixel((0, 0)))
    save("trns-grey.png", base.convert("L"), transparency=128)
    (folder / "rgb-16.png").write_bytes(png(61, 47, 16, 2, [random.randbytes(61 * 6) for _ in range(47)]))
    (folder / "rgba-16.png").write_bytes(png(61, 47, 16, 6, [random.randbytes(61 * 8) for _ in range(47)]))
    (folder / "grey-16.png").write_bytes(png(61, 47, 16, 0, [random.randbytes(61 * 2) for _ in range(47)]))
    (folder / "interlaced.png").write_bytes(png(321, 243, 8, 6, adam7(photo(321, 243, "RGBA")), interlace=1))
    (folder / "interlaced-1x1.png").write_bytes(png(1, 1, 8, 6, adam7(photo(1, 1, "RGBA")), interlace=1))
    save("transparent.gif", base.quantize(64), transparency=5)
    save("interlaced.gif", base.quantize(64), interlace=1)
    frames = [base.filter(ImageFilter.GaussianBlur(i)).quantize(100) for i in range(6)]
    # GIF89a, section 23: after disposal 3 the screen is as it was before the frame. Before the first frame it is empty,
    # but Pillow leaves an opaque first frame standing, and writes later frames as differences from frames that are
    # removed. So the first frame is one that stays.
    for disposal in [0, 1, 2, [1, 3, 3, 3, 3, 3]]:
        save(f"animated-{disposal if isinstance(disposal, int) else 3}.gif", frames[0], save_all=True, append_images=frames[1:], disposal=disposal, duration=70)
    # The first frame has transparent corners: without any, Pillow restores to the background colour, browsers to nothing.
    moving = [photo(90, 60, "RGBA").rotate(30 * i) for i in range(1, 6)]
    save("animated-transparent.gif", moving[0], save_all=True, append_images=moving[1:], disposal=2, duration=70)
    save("lossless.webp", base, lossless=True)
    save("lossless-alpha.webp", photo(321, 243, "RGBA"), lossless=True, exact=True)
    save("lossy-alpha.webp", photo(321, 243, "RGBA"), quality=85)
    save("animated.webp", moving[0], save_all=True, append_images=moving[1:], lossless=True, duration=70)


def serve(folder, scratch, port):
    configuration = scratch / "nginx.conf"
    configuration.write_text(f"""
        daemon off; pid {scratch}/pid; error_log stderr; worker_processes 1;
        events {{ }}
        http {{ access_log {scratch}/access.log; types {{ image/png png; image/jpeg jpg; image/gif gif; image/webp webp; }}
                server {{ listen 127.0.0.1:{port}; root {folder}; }} }}
        """)
    for path in (scratch, folder):
        path.chmod(0o755)
    server = subprocess.Popen(["nginx", "-c", configuration, "-e", "stderr"])
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server
        except ConnectionRefusedError:
            time.sleep(0.02)
    sys.exit("nginx has ended")


def free_port():
    """A port that nothing listens on a moment later."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def fetch(program, scratch, urls, *options):
    arguments = [program, "--json", "--allow-private", "--out", scratch / f"out{len(options)}{options[-1:]}", "--cache", scratch / "cache"]
    done = subprocess.run([*arguments, *options, *urls], stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        if not line["ok"]:
            print("FAILED", line["url"], line["error"])
    return {line["url"]: line for line in lines if line["ok"]}


def expected(path):
    """Pillow's frames as RGBA; 16-bit grey is cut to its high byte, for which Pillow has no conversion."""
    with Image.open(path) as image:
        if image.mode.startswith("I"):
            return [image.point(lambda value: value / 256).convert("L").convert("RGBA")]
        return [ImageOps.exif_transpose(frame).convert("RGBA") for frame in ImageSequence.Iterator(image)]


def difference(ours, theirs):
    """The largest difference of a channel: opaque, translucent (premultiplied), alpha."""
    if ours.size != theirs.size:
        return (255, 255, 255)
    if ours.getextrema()[3] == theirs.getextrema()[3] == (255, 255):
        return (max(high for _, high in ImageChops.difference(ours, theirs).getextrema()), 0, 0)
    opaque = translucent = alpha = 0
    quads = [zip(*[iter(image.tobytes())] * 4) for image in (ours, theirs)]
    for (r, g, b, a), (R, G, B, A) in zip(*quads):
        alpha = max(alpha, abs(a - A))
        worst = max(abs(r * a - R * A), abs(g * a - G * A), abs(b * a - B * A)) / 255
        if a == A == 255:
            opaque = max(opaque, worst)
        else:
            translucent = max(translucent, worst)
    return (opaque, translucent, alpha)


def is_lossless(path):
    return path.suffix in (".png", ".gif") or "lossless" in path.name or path.name == "animated.webp"


def main(program):
    random.seed(7)
    scratch = Path(tempfile.mkdtemp())
    folder = scratch / "pictures"
    folder.mkdir()
    make_pictures(folder)
    port = free_port()
    server = serve(folder, scratch, port)
    bad = 0
    try:
        paths = sorted(folder.iterdir())
        urls = {path: f"http://127.0.0.1:{port}/{path.name}" for path in paths}
        plain = fetch(program, scratch, urls.values())
        pngs = fetch(program, scratch, urls.values(), "--format", "png")
        gifs = fetch(program, scratch, [urls[path] for path in paths if path.suffix == ".gif"], "--format", "gif")
        for path in paths:
            line, theirs = plain.get(urls[path]), expected(path)
            size = (*theirs[0].size, len(theirs))
            if line is None or urls[path] not in pngs:
                found, differences = None, None
                fine = False
            else:
                found = (line["width"], line["height"], line["frames"])
                with Image.open(pngs[urls[path]]["file"]) as ours:
                    differences = [difference(ours.convert("RGBA"), theirs[0])]
                if urls[path] in gifs and len(theirs) > 1:
                    ours = expected(gifs[urls[path]]["file"])
                    differences += [difference(*pair) for pair in zip(ours, theirs)]
                limit = 0 if is_lossless(path) else LOSSY
                fine = found == size and all(o <= limit and t <= limit + 1 and a == 0 for o, t, a in differences)
            bad += not fine
            worst = differences and tuple(round(max(values), 2) for values in zip(*differences))
            print("same  " if fine else "DIFFER", f"{path.name:26} Pillow {size} fetch {found} opaque, translucent, alpha {worst}")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
        shutil.rmtree(scratch)
    print(f"{len(paths)} pictures, {bad} differ")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""Makes the fixtures of this folder: run it here, with Pillow over libjpeg-turbo 2.1 and libwebp 1.2.

Every fixture has a line in expected.txt: name, width, height, whether a pixel is less than opaque, loop count, and per
frame its duration in milliseconds and the FNV-1a hash of its pixels. Pixels are RGBA rows, premultiplied by
(c * a + 127) // 255. Fixtures of lossy formats also have their pixels in a file beside them, name + ".rgba".

PNG and GIF files are written by hand, so that what they must decode to is known without any decoder. Pillow is asked
too, and must agree, wherever it supports the variety.
"""
import io, os, struct, zlib
from PIL import Image, ImageOps

HERE = os.path.dirname(os.path.abspath(__file__))
lines = []


# The picture: a gradient, a disc, stripes; alpha fades from left to right in the lower half.
def rgba16(w, h, alpha=True):
    rows = []
    for y in range(h):
        row = []
        for x in range(w):
            r, g, b = x * 65535 // (w - 1), y * 65535 // (h - 1), (x * 977 + y * 3331) % 65536
            if (x - w // 2) ** 2 + (y - h // 2) ** 2 < (h // 3) ** 2:
                r, g, b = 60000, 5000 + x * 300, 12345
            if (x + y) % 11 == 0:
                r, g, b = 0, 65535, 40000
            a = x * 65535 // (w - 1) if alpha and y >= h // 2 else 65535
            row.append((r, g, b, a))
        rows.append(row)
    return rows


def rgba8(w, h, alpha=True):
    return [[tuple(c >> 8 for c in p) for p in row] for row in rgba16(w, h, alpha)]


def premultiplied(rows):
    return bytes(v for row in rows for (r, g, b, a) in row for v in
                 ((r * a + 127) // 255, (g * a + 127) // 255, (b * a + 127) // 255, a))


def rows_of(image):
    image = image.convert("RGBA")
    w, h = image.size
    data = list(image.getdata())
    return [data[y * w:(y + 1) * w] for y in range(h)]


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return "%016x" % value


def save(name, data, frames, loop=0, durations=(0,), raw=False):
    """frames: one list of rows per frame, upright, not premultiplied."""
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)
    pixels = [premultiplied(rows) for rows in frames]
    if raw:
        with open(os.path.join(HERE, name + ".rgba"), "wb") as file:
            file.write(b"".join(pixels))
    has_alpha = any(p[3] < 255 for rows in frames for row in rows for p in row)
    line = [name, len(frames[0][0]), len(frames[0]), int(has_alpha), loop]
    for duration, data in zip(durations, pixels):
        line += [duration, fnv(data)]
    lines.append(" ".join(map(str, line)))


def exif(orientation, order="<"):
    head = b"II*\0" if order == "<" else b"MM\0*"
    return b"Exif\0\0" + head + struct.pack(order + "LHHHLHHL", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


# --- PNG ---------------------------------------------------------------------------------------------------------------
def chunk(kind, data):
    return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))


def filtered(rows, bpp):
    """Filters packed rows with each of the five filters in turn."""
    out, above = bytearray(), bytes(len(rows[0]) if rows else 0)
    for number, row in enumerate(rows):
        kind = number % 5
        out.append(kind)
        for i, value in enumerate(row):
            a = row[i - bpp] if i >= bpp else 0
            b = above[i]
            c = above[i - bpp] if i >= bpp else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            out.append((value - (0, a, b, (a + b) // 2, paeth)[kind]) % 256)
        above = row
    return bytes(out)


def packed(samples, depth):
    """One row of samples as bytes."""
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    bits = "".join(format(s, "0%db" % depth) for s in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def png(samples, kind, depth, chunks=(), interlaced=False):
    """samples: rows of tuples, one value per channel."""
    w, h, channels = len(samples[0]), len(samples), len(samples[0][0])
    bpp = max(1, channels * depth // 8)
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    data = b""
    for x, y, dx, dy in passes if interlaced else [(0, 0, 1, 1)]:
        rows = [[v for p in row[x::dx] for v in p] for row in samples[y::dy]]
        if rows and rows[0]:
            data += filtered([packed(row, depth) for row in rows], bpp)
    header = struct.pack(">LLBBBBB", w, h, depth, kind, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunk(*c) for c in chunks)
            + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


def save_png(name, data, rows, pillow=True):
    if pillow:
        assert rows_of(ImageOps.exif_transpose(Image.open(io.BytesIO(data)))) == rows, name
    save(name + ".png", data, [rows])


def make_pngs():
    w, h = 23, 17
    deep, opaque = rgba16(w, h), rgba16(w, h, alpha=False)
    eight = [[tuple(c >> 8 for c in p) for p in row] for row in deep]
    grey16 = [[((p[0] + p[1] * 2 + p[2]) // 4, p[3]) for p in row] for row in deep]

    def both(name, samples, kind, depth, rows, chunks=(), pillow=True):
        save_png(name, png(samples, kind, depth, chunks), rows, pillow)
        save_png(name + "-interlaced", png(samples, kind, depth, chunks, True), rows, pillow)

    for depth in (1, 2, 4, 8, 16):
        top = 2**depth - 1
        grey = [[(p[0] * top // 65535,) for p in row] for row in grey16]
        # Sixteen bits lose their low byte; fewer than eight are stretched to the full range.
        shown = [[(s[0] >> 8 if depth == 16 else s[0] * 255 // top,) * 3 + (255,) for s in row] for row in grey]
        # Pillow cannot make eight bits of sixteen bits of grey.
        both("grey%d" % depth, grey, 0, depth, shown, pillow=depth < 16)
        key = grey[3][5][0]
        keyed = [[p[:3] + (0 if s[0] == key else 255,) for p, s in zip(*r)] for r in zip(shown, grey)]
        save_png("grey%d-key" % depth, png(grey, 0, depth, [(b"tRNS", struct.pack(">H", key))]), keyed,
                 pillow=depth in (1, 8))
    both("rgb8", [[p[:3] for p in row] for row in eight], 2, 8, [[p[:3] + (255,) for p in row] for row in eight])
    both("rgb16", [[p[:3] for p in row] for row in deep], 2, 16, [[p[:3] + (255,) for p in row] for row in eight])
    key = opaque[0][0][:3]
    both("rgb8-key", [[p[:3] for p in row] for row in eight], 2, 8,
         [[p[:3] + (0 if p[:3] == eight[2][9][:3] else 255,) for p in row] for row in eight],
         [(b"tRNS", struct.pack(">HHH", *eight[2][9][:3]))])
    save_png("rgb16-key", png([[p[:3] for p in row] for row in deep], 2, 16,
                              [(b"tRNS", struct.pack(">HHH", *key))]),
             [[e[:3] + (0 if d[:3] == key else 255,) for e, d in zip(*r)] for r in zip(eight, deep)], pillow=False)
    for depth in (1, 2, 4, 8):
        count = min(2**depth, 200)
        palette = [(i * 37 % 256, i * 91 % 256, 255 - i * 13 % 256) for i in range(count)]
        indexes = [[((x * 7 + y * y) % count,) for x in range(w)] for y in range(h)]
        plte = (b"PLTE", bytes(v for c in palette for v in c))
        both("palette%d" % depth, indexes, 3, depth, [[palette[i] + (255,) for (i,) in row] for row in indexes], [plte])
        alphas = [i * 255 // count for i in range(count - 1)]
        save_png("palette%d-alpha" % depth, png(indexes, 3, depth, [plte, (b"tRNS", bytes(alphas))]),
                 [[palette[i] + ((alphas + [255])[i],) for (i,) in row] for row in indexes])
    both("greyalpha8", [[(p[0] >> 8, p[1] >> 8) for p in row] for row in grey16], 4, 8,
         [[(p[0] >> 8,) * 3 + (p[1] >> 8,) for p in row] for row in grey16])
    both("greyalpha16", grey16, 4, 16, [[(p[0] >> 8,) * 3 + (p[1] >> 8,) for p in row] for row in grey16])
    both("rgba8", eight, 6, 8, eight)
    both("rgba16", deep, 6, 16, eight)
    rotated = Image.new("RGBA", (w, h))
    rotated.putdata([p for row in eight for p in row])
    save_png("exif6", png(eight, 6, 8, [(b"eXIf", exif(6, ">")[6:])]), rows_of(rotated.transpose(Image.ROTATE_270)))
    tiny = [[(200, 100, 50, 255)]]
    save_png("tiny", png(tiny, 6, 8), tiny)
    # The source of the resize tests.
    save_png("resize", png(rgba8(60, 45), 6, 8), rgba8(60, 45))
    premultiplied_image = Image.frombytes("RGBa", (60, 45), premultiplied(rgba8(60, 45)))
    for size in ((23, 17), (100, 75), (60, 9)):
        resized = premultiplied_image.resize(size, Image.LANCZOS)
        with open(os.path.join(HERE, "resize-%dx%d.rgba" % size), "wb") as file:
            file.write(resized.tobytes())


# --- JPEG --------------------------------------------------------------------------------------------------------------
def save_jpeg(name, data):
    save(name + ".jpg", data, [rows_of(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))], raw=True)


def make_jpegs():
    w, h = 37, 27
    image = Image.new("RGB", (w, h))
    image.putdata([p[:3] for row in rgba8(w, h, alpha=False) for p in row])

    def encoded(picture, **options):
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=options.pop("quality", 85), **options)
        return out.getvalue()

    save_jpeg("baseline-420", encoded(image, subsampling=2))
    save_jpeg("baseline-422", encoded(image, subsampling=1))
    save_jpeg("baseline-444", encoded(image, subsampling=0))
    save_jpeg("optimized", encoded(image, optimize=True, quality=40))
    save_jpeg("progressive-420", encoded(image, progressive=True, subsampling=2))
    save_jpeg("progressive-444", encoded(image, progressive=True, subsampling=0))
    save_jpeg("grey", encoded(image.convert("L")))
    save_jpeg("grey-progressive", encoded(image.convert("L"), progressive=True))
    cmyk = image.convert("CMYK")
    cmyk.putdata([(c, m, y, (c + m) // 3) for c, m, y, _ in cmyk.getdata()])
    data = encoded(cmyk, subsampling=0)
    save_jpeg("cmyk", data)
    # The same samples, said to be YCCK.
    at = data.index(b"Adobe") + 11
    assert data[at] == 0
    save_jpeg("ycck", data[:at] + b"\2" + data[at + 1:])
    small = image.resize((20, 13))
    for orientation in range(1, 9):
        order = "<" if orientation % 2 else ">"
        save_jpeg("orientation%d" % orientation, encoded(small, exif=exif(orientation, order), quality=60))
    save_jpeg("tiny", encoded(image.crop((0, 0, 1, 1))))


# --- GIF ---------------------------------------------------------------------------------------------------------------
def lzw(indexes, bits):
    """Codes for giflib and everybody else: a clear first, then the growing table, an end."""
    clear, end = 1 << bits, (1 << bits) + 1
    out, acc, have = bytearray(), 0, 0
    table, size, following = {(i,): i for i in range(clear)}, bits + 1, end + 1

    def put(code):
        nonlocal acc, have
        acc |= code << have
        have += size
        while have >= 8:
            out.append(acc & 255)
            acc >>= 8
            have -= 8

    put(clear)
    run = ()
    for index in indexes:
        if run + (index,) in table:
            run += (index,)
            continue
        put(table[run])
        table[run + (index,)] = following
        if following == 1 << size and size < 12:
            size += 1
        following += 1
        if following == 4096:
            put(clear)
            table, size, following = {(i,): i for i in range(clear)}, bits + 1, end + 1
        run = (index,)
    put(table[run])
    put(end)
    if have:
        out.append(acc & 255)
    blocks = b"".join(bytes([len(out[i:i + 255])]) + out[i:i + 255] for i in range(0, len(out), 255))
    return bytes([bits]) + blocks + b"\0"


def gif(w, h, frames, palette=None, loop=None):
    """frames: dicts of x, y, rows of indexes, palette, transparent, disposal, delay (hundredths), interlaced."""
    def table(colors):
        return bytes(v for c in colors for v in c)

    def size_of(colors):
        return len(colors).bit_length() - 2

    data = b"GIF89a" + struct.pack("<HHBBB", w, h, 0x80 | size_of(palette) if palette else 0, 0, 0)
    data += table(palette) if palette else b""
    if loop is not None:
        data += b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", loop) + b"\0"
    canvas = [[(0, 0, 0, 0)] * w for _ in range(h)]
    shown, durations = [], []
    for f in frames:
        rows, colors, transparent = f["rows"], f.get("palette") or palette, f.get("transparent")
        x0, y0, disposal = f.get("x", 0), f.get("y", 0), f.get("disposal", 0)
        flags = disposal << 2 | (transparent is not None)
        data += b"\x21\xf9\x04" + struct.pack("<BHBB", flags, f.get("delay", 10), transparent or 0, 0)
        local = f.get("palette")
        flags = (0x80 | size_of(local) if local else 0) | (0x40 if f.get("interlaced") else 0)
        data += b"\x2c" + struct.pack("<HHHHB", x0, y0, len(rows[0]), len(rows), flags)
        data += table(local) if local else b""
        order = range(len(rows))
        if f.get("interlaced"):
            order = [y for start, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(start, len(rows), step)]
        data += lzw([i for y in order for i in rows[y]], max(2, (len(colors) - 1).bit_length()))
        before = [row[:] for row in canvas]
        for y, row in enumerate(rows):
            for x, index in enumerate(row):
                if index != transparent and y0 + y < h and x0 + x < w:
                    canvas[y0 + y][x0 + x] = colors[index] + (255,)
        shown.append([row[:] for row in canvas])
        durations.append(f.get("delay", 10) * 10 if f.get("delay", 10) > 1 else 100)
        if disposal == 3:
            canvas = before
        if disposal == 2:
            for y in range(y0, min(h, y0 + len(rows))):
                for x in range(x0, min(w, x0 + len(rows[0]))):
                    canvas[y][x] = (0, 0, 0, 0)
    still = len(frames) == 1
    return data + b"\x3b", shown, 0 if still else 1 if loop is None else loop, [0] if still else durations


def save_gif(name, made, pillow=False):
    data, shown, loop, durations = made
    if pillow:
        image = Image.open(io.BytesIO(data))
        for number, rows in enumerate(shown):
            image.seek(number)
            assert premultiplied(rows_of(image)) == premultiplied(rows), (name, number)
    save(name + ".gif", data, shown, loop, durations)


def make_gifs():
    w, h = 29, 21
    colors = [(i * 17, 255 - i * 13, i * 71 % 256) for i in range(16)]
    others = [(255 - i * 60, i * 60, 128) for i in range(4)]
    full = [[(x * y // 9 + x) % 16 for x in range(w)] for y in range(h)]
    wide = [[(x * 3 + y * 5) % 256 for x in range(w)] for y in range(h)]
    many = [(i, i * 7 % 256, 255 - i) for i in range(256)]

    def patch(width, height, shift, count=16):
        return [[(x + y * shift) % count for x in range(width)] for y in range(height)]

    save_gif("still", gif(w, h, [{"rows": full}], colors), pillow=True)
    save_gif("still-256", gif(w, h, [{"rows": wide}], many), pillow=True)
    save_gif("still-2", gif(w, h, [{"rows": [[i % 2 for i in row] for row in full]}], colors[:2]), pillow=True)
    save_gif("interlaced", gif(w, h, [{"rows": full, "interlaced": True}], colors), pillow=True)
    save_gif("transparent", gif(w, h, [{"rows": full, "transparent": 5}], colors), pillow=True)
    save_gif("small-frame", gif(w, h, [{"rows": patch(9, 7, 3), "x": 4, "y": 5}], colors))
    save_gif("clipped", gif(w, h, [{"rows": full}, {"rows": patch(20, 20, 3), "x": 15, "y": 9},
                                   {"rows": patch(5, 5, 2), "x": 200, "y": 3}], colors, loop=3))
    for disposal in range(4):
        frames = [{"rows": full, "disposal": disposal, "delay": 7}]
        frames += [{"rows": patch(11, 8, 3 + n), "x": 3 * n, "y": 2 * n, "disposal": disposal, "delay": 5 + n,
                    "transparent": 3 if n % 2 else None} for n in range(4)]
        save_gif("disposal%d" % disposal, gif(w, h, frames, colors, loop=0))
    mixed = [{"rows": full, "disposal": 1}, {"rows": patch(20, 15, 5), "disposal": 3, "x": 2},
             {"rows": patch(6, 6, 1), "disposal": 2, "x": 5, "y": 5, "transparent": 0},
             {"rows": patch(w, 3, 2), "disposal": 3, "interlaced": True}, {"rows": patch(4, h, 7), "x": 25}]
    save_gif("disposal-mixed", gif(w, h, mixed, colors, loop=5))
    save_gif("local-palettes", gif(w, h, [{"rows": patch(w, h, 3, 4), "palette": others},
                                          {"rows": full, "palette": colors, "transparent": 1},
                                          {"rows": patch(9, 9, 2, 4), "palette": others[::-1], "x": 9}]))
    save_gif("delays", gif(4, 4, [{"rows": patch(4, 4, n), "delay": d} for n, d in enumerate((0, 1, 2, 9, 10, 500))],
                           colors, loop=0))
    save_gif("tiny", gif(1, 1, [{"rows": [[1]]}], others))


# --- WebP --------------------------------------------------------------------------------------------------------------
def make_webps():
    w, h = 35, 25
    image = Image.new("RGBA", (w, h))
    image.putdata([p for row in rgba8(w, h) for p in row])
    opaque = Image.new("RGB", (w, h))
    opaque.putdata([p[:3] for row in rgba8(w, h, alpha=False) for p in row])

    def encoded(picture, **options):
        out = io.BytesIO()
        picture.save(out, "WEBP", **options)
        return out.getvalue()

    def still(name, data, raw):
        save(name + ".webp", data, [rows_of(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))], raw=raw)

    still("lossy", encoded(opaque, quality=70), True)
    still("lossy-alpha", encoded(image, quality=70), True)
    still("lossless", encoded(opaque, lossless=True), False)
    still("lossless-alpha", encoded(image, lossless=True, exact=True), False)
    for orientation in (3, 6, 7):
        still("exif%d" % orientation, encoded(opaque, lossless=True, exif=exif(orientation)[6:]), False)
    still("tiny", encoded(opaque.crop((0, 0, 1, 1)), lossless=True), False)

    def animated(name, frames, durations, loop, raw, **options):
        data = encoded(frames[0], save_all=True, append_images=frames[1:], duration=list(durations), loop=loop,
                       **options)
        read = Image.open(io.BytesIO(data))
        shown = []
        for number in range(read.n_frames):
            read.seek(number)
            shown.append(rows_of(read))
        assert len(shown) == len(frames), name
        save(name + ".webp", data, shown, loop, [d if d > 10 else 100 for d in durations], raw)

    moved = [image.transform((w, h), Image.AFFINE, (1, 0, n * 3, 0, 1, n)) for n in range(4)]
    animated("animated-lossless", moved, (40, 100, 5, 250), 0, False, lossless=True)
    animated("animated-lossy", [m.convert("RGB") for m in moved], (50, 60, 70, 80), 7, True, quality=60)
    animated("animated-alpha", moved, (20, 20, 20, 20), 1, True, quality=60)


# --- BMP and ICO -------------------------------------------------------------------------------------------------------
def dib(size, bits, palette=(), header=40, compression=0, masks=(), top_down=False, data=None, height=None):
    """data: the pixels as they are stored. Returns the header with the palette, and the pixels."""
    w, h = size
    if header == 12:
        head = struct.pack("<LHHHH", 12, w, h, 1, bits)
    else:
        head = struct.pack("<LllHHLLllLL", header, w, height or (-h if top_down else h), 1, bits, compression, len(data),
                           2835, 2835, len(palette), 0)
        head += struct.pack("<%dL" % len(masks), *masks)
        head += bytes(max(0, header - len(head)))
    colors = b"".join(bytes((b, g, r)) + (b"" if header == 12 else b"\0") for r, g, b in palette)
    return head + colors, data


def stored(rows, top_down=False):
    padded = [row + bytes(-len(row) % 4) for row in rows]
    return b"".join(padded if top_down else padded[::-1])


def bmp(w, h, bits, data, **options):
    head, data = dib((w, h), bits, data=data, **options)
    start = 14 + len(head)
    return b"BM" + struct.pack("<LHHL", start + len(data), 0, 0, start) + head + data


def runs(rows, bits):
    """Runs of equal indexes, and every third row as it is; the fifth row from below ends early."""
    out = bytearray()
    for number, row in enumerate(rows[::-1]):
        row = list(row)
        if number == 4:
            row = row[:-2]
        if number % 3 == 0:
            data = packed(row, bits)
            out += bytes((0, len(row))) + data + bytes(len(data) % 2)
        else:
            at = 0
            while at < len(row):
                count = 1
                while at + count < len(row) and row[at + count] == row[at]:
                    count += 1
                out += bytes((count, row[at] * (17 if bits == 4 else 1)))
                at += count
        out += bytes((0, 0))
    return bytes(out + b"\0\1")


def save_bmp(name, data, rows, pillow=True):
    if pillow:
        assert rows_of(Image.open(io.BytesIO(data))) == rows, name
    save(name + ".bmp", data, [rows])


def make_bmps():
    w, h = 23, 17
    rows = rgba8(w, h)
    opaque = [[p[:3] + (255,) for p in row] for row in rows]
    bgr = [bytes(v for p in row for v in (p[2], p[1], p[0])) for row in rows]
    bgra = [bytes(v for p in row for v in (p[2], p[1], p[0], p[3])) for row in rows]
    for depth in (1, 4, 8):
        count = min(2**depth, 200)
        palette = [(i * 37 % 256, i * 91 % 256, 255 - i * 13 % 256) for i in range(count)]
        indexes = [[(x * 7 + y * y) // 3 % count for x in range(w)] for y in range(h)]
        shown = [[palette[i] + (255,) for i in row] for row in indexes]
        data = stored([packed(row, depth) for row in indexes])
        save_bmp("palette%d" % depth, bmp(w, h, depth, data, palette=palette), shown)
        if depth > 1:
            indexes[h - 1 - 4][-2:] = [0, 0]
            shown = [[palette[i] + (255,) for i in row] for row in indexes]
            save_bmp("runs%d" % depth, bmp(w, h, depth, runs(indexes, depth), palette=palette,
                                           compression=1 if depth == 8 else 2), shown)
        if depth == 4:
            core = bmp(w, h, depth, stored([packed(row, depth) for row in indexes]), palette=palette, header=12)
            save_bmp("core4", core, shown)
    save_bmp("bgr", bmp(w, h, 24, stored(bgr)), opaque)
    save_bmp("bgr-top-down", bmp(w, h, 24, stored(bgr, True), top_down=True), opaque)
    save_bmp("bgrx", bmp(w, h, 32, stored(bgra)), opaque)
    save_bmp("bgra", bmp(w, h, 32, stored(bgra), header=108, compression=3,
                         masks=(0xFF0000, 0xFF00, 0xFF, 0xFF000000)), rows)
    rgba = [bytes(v for p in row for v in p) for row in rows]
    save_bmp("rgba-masks", bmp(w, h, 32, stored(rgba), header=124, compression=3,
                               masks=(0xFF, 0xFF00, 0xFF0000, 0xFF000000)), rows)

    def sixteen(layout, masks, pillow):
        data, shown = [], []
        for row in rows:
            line, colors = b"", []
            for p in row:
                pixel, color = 0, []
                for value, (shift, bits) in zip(p, layout):
                    part = value >> (8 - bits)
                    pixel |= part << shift
                    color.append(part * 255 // (2**bits - 1))
                line += struct.pack("<H", pixel)
                colors.append(tuple(color) + (255,) * (4 - len(color)))
            data.append(line)
            shown.append(colors)
        name = "".join(str(bits) for _, bits in layout)
        save_bmp("fields" + name, bmp(w, h, 16, stored(data), compression=3 if masks else 0, masks=masks,
                                      header=56 if len(masks) == 4 else 40), shown, pillow)

    sixteen(((10, 5), (5, 5), (0, 5)), (), True)
    sixteen(((11, 5), (5, 6), (0, 5)), (0xF800, 0x7E0, 0x1F), True)
    sixteen(((8, 4), (4, 4), (0, 4), (12, 4)), (0xF00, 0xF0, 0xF, 0xF000), False)


def ico(pictures, kind=1):
    """pictures: width, height, bits and data, the last one the largest."""
    at, entries = 6 + 16 * len(pictures), b""
    for w, h, bits, data in pictures:
        entries += struct.pack("<BBBBHHLL", w % 256, h % 256, 0, 0, 1, bits, len(data), at)
        at += len(data)
    return struct.pack("<HHH", 0, kind, len(pictures)) + entries + b"".join(p[3] for p in pictures)


def make_icos():
    def picture(w, h, bits, has_alpha=True):
        rows = rgba8(w, h)
        mask = stored([packed([int(p[3] < 128) for p in row], 1) for row in rows])
        if bits == 32:
            rows = [[p if has_alpha else p[:3] + (0,) for p in row] for row in rows]
            data = stored([bytes(v for p in row for v in (p[2], p[1], p[0], p[3])) for row in rows])
            palette, shown = (), rows
            if not has_alpha:
                shown = [[p[:3] + (0 if q[3] < 128 else 255,) for p, q in zip(*r)] for r in zip(rows, rgba8(w, h))]
        else:
            palette = [(i * 15, 255 - i * 9, i * 40 % 256) for i in range(16)]
            indexes = [[(x + y * 3) % 16 for x in range(w)] for y in range(h)]
            data = stored([packed(row, 4) for row in indexes])
            shown = [[palette[i] + (0 if p[3] < 128 else 255,) for i, p in zip(*r)] for r in zip(indexes, rgba8(w, h))]
        head, data = dib((w, h), bits, palette=palette, data=data + mask, height=h * 2)
        return (w, h, bits, head + data), shown

    small, _ = picture(9, 7, 32)
    for name, bits, has_alpha, pillow in (("alpha", 32, True, True), ("palette", 4, True, True),
                                          ("mask", 32, False, False)):
        made, shown = picture(21, 18, bits, has_alpha)
        data = ico([small, made])
        if pillow:
            read = rows_of(Image.open(io.BytesIO(data)))
            assert premultiplied(read) == premultiplied(shown), name
        save(name + ".ico", data, [shown])
    rows = rgba8(26, 24)
    made = png(rows, 6, 8)
    save("png.ico", ico([small, (26, 24, 32, made)]), [rows])
    made, shown = picture(16, 16, 32)
    save("cursor.ico", ico([made], kind=2), [shown])


make_pngs()
make_jpegs()
make_gifs()
make_webps()
make_bmps()
make_icos()
with open(os.path.join(HERE, "expected.txt"), "w") as file:
    file.write("\n".join(sorted(lines)) + "\n")

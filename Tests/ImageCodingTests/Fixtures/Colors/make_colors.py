#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the fixtures of this folder, pictures in other colours than sRGB, and beside each what Little CMS makes of it.

    make_colors.py [FOLDER]

NAME.rgba has premultiplied RGBA, WIDTH * HEIGHT * 4 bytes. Debian's Pillow and ImageMagick write the files and convert
them, both with Little CMS and the intent of the profile. Pillow converts what it reads; ImageMagick has sixteen bits.
With a folder, the pictures in the formats behind package traits go there, for `Tests/Formats`; their NAME.rgba begin
with a line of the size.
"""
import io
import pathlib
import struct
import subprocess
import sys
import zlib

from PIL import Image, ImageCms

HERE = pathlib.Path(__file__).resolve().parent
SIZE = 32, 24
D65, D50 = (0.3127, 0.3290), (0.9642, 1, 0.8249)
SRGB = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
ADOBE = ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
REC2020 = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, **options).stdout


# Profiles, of version 2 and a few tags.

def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return [[(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
            [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
            [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det]]


def xyz(point):
    return [point[0] / point[1], 1, (1 - point[0] - point[1]) / point[1]]


BRADFORD = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]


def adapted(vector, white):
    """From a white to D50."""
    cone, source, target = times(BRADFORD, vector), times(BRADFORD, white), times(BRADFORD, D50)
    return times(inverse(BRADFORD), [c * t / s for c, s, t in zip(cone, source, target)])


def columns(primaries, white=D65):
    sides = [xyz(point) for point in primaries]
    parts = times(inverse([[side[row] for side in sides] for row in range(3)]), xyz(white))
    return [adapted([part * value for value in side], xyz(white)) for part, side in zip(parts, sides)]


def profile(space, kind, pcs, tags):
    tags = {b"desc": b"desc\0\0\0\0" + struct.pack(">I", 5) + b"made\0" + bytes(78), b"cprt": b"text\0\0\0\0none\0",
            b"wtpt": b"XYZ \0\0\0\0" + fixed(*D50)} | tags
    table, data, start = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    places = {}
    for name, value in tags.items():
        value += bytes(-len(value) % 4)
        if value not in places:
            places[value] = start + len(data)
            data += value
        table += name + struct.pack(">II", places[value], len(value))
    header = struct.pack(
        ">I4sI4s4s4s12s4s4sIIIIIIIII", start + len(data), b"none", 0x02100000, kind, space, pcs, bytes(12), b"acsp",
        bytes(4), 0, 0, 0, 0, 0, 0, 63190, 65536, 54061)
    return header.ljust(128, b"\0") + table + data


def fixed(*values):
    return b"".join(struct.pack(">i", round(value * 65536)) for value in values)


def curve(transfer):
    """A gamma, or a table of a function."""
    if callable(transfer):
        table = [round(min(1, max(0, transfer(k / 1023))) * 65535) for k in range(1024)]
        return b"curv\0\0\0\0" + struct.pack(">I1024H", 1024, *table)
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(transfer * 256))


def srgb_light(value):
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def rgb_profile(primaries, transfer, white=D65):
    sides = columns(primaries, white)
    tags = {name: b"XYZ \0\0\0\0" + fixed(*side) for name, side in zip([b"rXYZ", b"gXYZ", b"bXYZ"], sides)}
    return profile(b"RGB ", b"mntr", b"XYZ ", tags | dict.fromkeys([b"rTRC", b"gTRC", b"bTRC"], curve(transfer)))


def grey_profile(gamma):
    return profile(b"GRAY", b"mntr", b"XYZ ", {b"kTRC": curve(gamma)})


def lab(rgb):
    def root(value):
        return value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
    sides = columns(SRGB)
    x, y, z = (root(sum(srgb_light(v) * side[row] for v, side in zip(rgb, sides)) / D50[row]) for row in range(3))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ink_profile():
    """Four inks that take light away one after the other, in a table of five steps each."""
    inks = [(0.05, 0.62, 0.88), (0.86, 0.10, 0.45), (0.98, 0.90, 0.08), (0.12, 0.11, 0.10)]
    steps, table = 5, []
    for index in range(steps ** 4):
        amounts = [index // steps ** power % steps / (steps - 1) for power in (3, 2, 1, 0)]
        colour = [1.0, 1.0, 1.0]
        for amount, ink in zip(amounts, inks):
            colour = [value * (1 - amount * (1 - light)) for value, light in zip(colour, ink)]
        l, a, b = lab(colour)
        table += [round(l * 652.8), round((a + 128) * 256), round((b + 128) * 256)]
    linear = struct.pack(">HH", 0, 65535)
    data = b"mft2\0\0\0\0" + bytes([4, 3, steps, 0]) + fixed(1, 0, 0, 0, 1, 0, 0, 0, 1) + struct.pack(">HH", 2, 2)
    data += linear * 4 + struct.pack(f">{len(table)}H", *(min(max(v, 0), 65535) for v in table)) + linear * 3
    return profile(b"CMYK", b"prtr", b"Lab ", {b"A2B0": data})


def icc(data):
    return ImageCms.ImageCmsProfile(io.BytesIO(data))


SRGB_PROFILE = ImageCms.createProfile("sRGB")
SRGB_BYTES = ImageCms.ImageCmsProfile(SRGB_PROFILE).tobytes()
P3_PROFILE, GREY = rgb_profile(P3, srgb_light), grey_profile(1.8)
ADOBE_PROFILE, WIDE, INKS = rgb_profile(ADOBE, 563 / 256), rgb_profile(REC2020, 2.4), ink_profile()


# Pictures.

def picture(mode="RGB"):
    """Smooth colours from side to side, dark ones below, and alpha from half to opaque."""
    width, height = SIZE
    image = Image.new("RGBA", SIZE)
    image.putdata([
        (x * 255 // (width - 1), y * 255 // (height - 1), (x * 5 + y * 3) % 256, 128 + x * 127 // (width - 1))
        for y in range(height) for x in range(width)])
    return image.convert(mode) if mode != "CMYK" else Image.merge(
        "CMYK", [*image.convert("RGB").split(), image.getchannel(0).rotate(180).point(lambda v: v // 2)])


def premultiplied(image):
    def multiply(colour, alpha):
        product = colour * alpha + 128
        return (product + (product >> 8)) >> 8
    return bytes(v for r, g, b, a in image.convert("RGBA").getdata()
                 for v in (multiply(r, a), multiply(g, a), multiply(b, a), a))


def converted(image, data):
    """What Pillow's Little CMS makes of a picture that Pillow reads."""
    alpha = image.convert("RGBA").getchannel("A")
    base = image.convert("L") if data[16:20] == b"GRAY" else image if image.mode == "CMYK" else image.convert("RGB")
    colours = ImageCms.profileToProfile(base, icc(data), SRGB_PROFILE, outputMode="RGB")
    colours.putalpha(alpha)
    return premultiplied(colours)


def expect(path, pixels, size=None):
    assert len(pixels) % (SIZE[0] * SIZE[1] * 4) == 0, path
    path.with_name(path.name + ".rgba").write_bytes((b"%d %d\n" % SIZE if size else b"") + pixels)


def by_pillow(name, mode, data, **options):
    path = HERE / name
    picture(mode).save(path, icc_profile=data, **options)
    with Image.open(path) as stored:
        expect(path, converted(stored, data))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_chunks(file, *chunks):
    """A PNG without what a program wrote of its colours, and with other chunks after the header."""
    parts, at = [], 8
    while at < len(file):
        length = struct.unpack(">I", file[at:at + 4])[0] + 12
        if file[at + 4:at + 8] not in (b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"tIME", b"tEXt", b"bKGD"):
            parts.append(file[at:at + length])
        at += length
    return file[:8] + parts[0] + b"".join(chunks) + b"".join(parts[1:])


def magick(source, *options):
    """ImageMagick's output for a picture of Pillow's."""
    stream = io.BytesIO()
    source.save(stream, "PNG")
    return run("convert", "png:-", *options, input=stream.getvalue())


def magick_converted(file, data):
    """What ImageMagick's Little CMS makes of the numbers of a file, whatever the file says they mean."""
    (HERE / "from.icc").write_bytes(data)
    (HERE / "to.icc").write_bytes(SRGB_BYTES)
    pixels = run(
        "convert", "png:-", "-profile", HERE / "from.icc", "-profile", HERE / "to.icc", "-colorspace", "sRGB",
        "-type", "TrueColorAlpha", "-depth", 8, "rgba:-", input=with_chunks(file))
    for name in ["from.icc", "to.icc"]:
        (HERE / name).unlink()
    return premultiplied(Image.frombytes("RGBA", SIZE, pixels))


def by_magick(name, source, data, options=(), chunks=None):
    """A PNG of sixteen bits by ImageMagick, with a profile or other chunks."""
    file = magick(source, "-blur", "0x0.8", "-depth", 16, "-define", "png:bit-depth=16", *options, "png:-")
    packed = chunk(b"iCCP", b"made\0\0" + zlib.compress(data))
    path = HERE / name
    path.write_bytes(with_chunks(file, *([packed] if chunks is None else chunks)))
    expect(path, magick_converted(file, data))


def chromaticities(primaries):
    return chunk(b"cHRM", b"".join(struct.pack(">I", round(v * 100000)) for point in (D65, *primaries) for v in point))


def gamma(value):
    return chunk(b"gAMA", struct.pack(">I", round(100000 / value)))


def perceptual(value):
    """SMPTE ST 2084, of which 203 cd/m² are white."""
    power = value ** (1 / 78.84375)
    return 10000 / 203 * (max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125)


def default_build():
    by_pillow("srgb.jpg", "RGB", SRGB_BYTES, quality=95)
    by_pillow("p3.jpg", "RGB", P3_PROFILE, quality=95)
    by_pillow("adobe-progressive.jpg", "RGB", ADOBE_PROFILE, quality=90, progressive=True)
    by_pillow("grey.jpg", "L", GREY, quality=95)
    by_pillow("inks.jpg", "CMYK", INKS, quality=95)
    # The same inks, said to be YCCK, with Adobe's marker.
    data = (HERE / "inks.jpg").read_bytes()
    at = data.index(b"Adobe") + 11
    path = HERE / "ycck.jpg"
    path.write_bytes(data[:at] + b"\2" + data[at + 1:])
    with Image.open(path) as stored:
        expect(path, converted(stored, INKS))
    # ImageMagick has the inks of its own conversion, and Adobe's marker.
    path = HERE / "plain-inks.jpg"
    path.write_bytes(magick(picture(), "-colorspace", "CMYK", "-quality", 95, "jpeg:-"))
    with Image.open(path) as stored:
        pixels = [(255 - c) * (255 - k) / 255 for (c, m, y, k) in stored.getdata() for c in (c, m, y)]
        triples = zip(*[iter(round(v) for v in pixels)] * 3)
        expect(path, bytes(v for triple in triples for v in (*triple, 255)))
    by_pillow("wide.png", "RGB", WIDE)
    by_pillow("p3-alpha.png", "RGBA", P3_PROFILE)
    by_pillow("grey-alpha.png", "LA", GREY)
    path = HERE / "palette.png"
    picture().quantize(40).save(path, icc_profile=P3_PROFILE)
    with Image.open(path) as stored:
        expect(path, converted(stored, P3_PROFILE))
    by_pillow("p3-alpha.webp", "RGBA", P3_PROFILE, lossless=True, exact=True)
    by_pillow("adobe.webp", "RGB", ADOBE_PROFILE, quality=95)
    by_magick("wide16.png", picture(), WIDE)
    by_magick("p3-alpha16-interlaced.png", picture("RGBA"), P3_PROFILE, ["-interlace", "PNG"])
    by_magick("grey16.png", picture("L"), GREY, ["-type", "Grayscale"])
    by_magick("linear16.png", picture(), rgb_profile(SRGB, 1.0), chunks=[gamma(1)])
    by_magick("adobe-numbers16.png", picture(), ADOBE_PROFILE, chunks=[gamma(563 / 256), chromaticities(ADOBE)])
    by_magick("apple-gamma16.png", picture("L"), rgb_profile(SRGB, 1.8), ["-type", "Grayscale"], [gamma(1.8)])
    by_magick("cicp-p3.png", picture(), P3_PROFILE, chunks=[chunk(b"cICP", bytes([12, 13, 0, 1])), gamma(1)])
    by_magick("cicp-perceptual.png", picture(), rgb_profile(REC2020, perceptual), chunks=[
        chunk(b"cICP", bytes([9, 16, 0, 1]))])


def with_traits(folder):
    """Pictures in other formats; the references are of what the formats' own tools read."""
    plain = folder / "colours.png"

    def shown(path, data, read):
        with Image.open(read) as stored:
            expect(path, converted(stored, data), SIZE)

    for name, mode, data in [
            ("p3", "RGB", P3_PROFILE), ("wide-alpha", "RGBA", WIDE), ("grey", "L", GREY),
            ("adobe", "RGB", ADOBE_PROFILE)]:
        image = picture(mode)
        path = folder / f"{name}.tiff.colours"
        image.save(path, "TIFF", icc_profile=data, compression="tiff_lzw")
        # Alpha in a TIFF of Pillow's is not premultiplied.
        shown(path, data, path)
        image.save(plain, icc_profile=data)
        path = folder / f"{name}.jxl.colours"
        run("cjxl", plain, folder / "made.jxl", "-d", 0, "-e", 3)
        (folder / "made.jxl").rename(path)
        shown(path, data, plain)
        if mode == "L":
            continue
        for kind in ["heic", "avif"]:
            path = folder / f"{name}.{kind}"
            run("heif-enc", "-q", 95, "-p", "chroma=444", plain, "-o", path)
            run("heif-convert", path, folder / "shown.png")
            path = path.rename(folder / f"{name}.{kind}.colours")
            shown(path, data, folder / "shown.png")
    for name, options in [("inks", {"icc_profile": INKS}), ("plain-inks", {})]:
        path = folder / f"{name}.tiff.colours"
        picture("CMYK").save(path, "TIFF", compression="tiff_lzw", **options)
        with Image.open(path) as stored:
            pixels = converted(stored, INKS) if options else premultiplied(stored.convert("RGB"))
        expect(path, pixels, SIZE)
        for kind, how in [("planes", ["-p", "separate"]), ("tiles", ["-t", "-w", 48, "-l", 16])]:
            copy = folder / f"{name}-{kind}.tiff.colours"
            run("tiffcp", *how, "-c", "zip", path, copy)
            expect(copy, pixels, SIZE)
    frames = [picture("RGBA"), picture("RGBA").transpose(Image.Transpose.FLIP_TOP_BOTTOM)]
    frames[0].save(
        plain, save_all=True, append_images=frames[1:], duration=50, disposal=0, blend=0, icc_profile=WIDE)
    path = folder / "wide-alpha-moving.jxl.colours"
    run("cjxl", plain, folder / "made.jxl", "-d", 0, "-e", 3)
    (folder / "made.jxl").rename(path)
    expect(path, b"".join(converted(frame, WIDE) for frame in frames), SIZE)
    picture().save(plain)
    path = folder / "numbers.avif"
    run("heif-enc", "-q", 95, "-p", "chroma=444", plain, "-o", path)
    # The program says that it does not know the primaries and the transfer; these are those of Display P3.
    data = path.read_bytes()
    assert b"colrnclx\0\2\0\2" in data
    path.write_bytes(data.replace(b"colrnclx\0\2\0\2", b"colrnclx\0\x0c\0\x0d"))
    run("heif-convert", path, folder / "shown.png")
    path = path.rename(folder / "numbers.avif.colours")
    shown(path, P3_PROFILE, folder / "shown.png")
    for leftover in [plain, folder / "shown.png"]:
        leftover.unlink()


if len(sys.argv) > 1:
    with_traits(pathlib.Path(sys.argv[1]))
else:
    default_build()

"""Small files that cost much: each is written by hand, because no encoder would."""

import pathlib
import struct
import sys
import zlib

BLOCK = 1 << 20


def zeros(count, ends=True, window=15):
    """A deflate stream of zeros, a thousandth of their size, in time that does not depend on how many."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(BLOCK)) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = block * (count // BLOCK) + packer.compress(bytes(count % BLOCK))
    stream += packer.flush() if ends else packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x78\xda" + stream + struct.pack(">I", count % 65521 << 16 | 1)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side, depth=1, colour=0, interlaced=0, extra=b"", data=None):
    """A square PNG of zeros; `extra` stands before the pixels, and `data` in their place."""
    bits = depth * {0: 1, 2: 3, 6: 4}[colour]
    if data is None:
        data = zeros(side * (1 + (side * bits + 7) // 8) + (side * 16 if interlaced else 0))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, depth, colour, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


class Bits:
    """Codes to bytes, the lowest bit first."""

    def __init__(self):
        self.value, self.count, self.bytes = 0, 0, bytearray()

    def add(self, value, width):
        self.value |= value << self.count
        self.count += width
        while self.count >= 8:
            self.bytes.append(self.value & 255)
            self.value, self.count = self.value >> 8, self.count - 8

    def end(self):
        self.add(0, -self.count % 8)
        return bytes(self.bytes)


def lzw(pixels):
    """The GIF codes of `pixels` zeros: each code stands for a run longer by one than the code before."""
    bits, left, run, width, code_count = Bits(), pixels, 1, 3, 6
    bits.add(4, width)
    while left > 0:
        length = min(run, left)
        bits.add(0 if length == 1 else length + 4, width)
        left -= length
        if run > 1:
            code_count += 1
        if code_count == 1 << width and width < 12:
            width += 1
        run += 1
        if code_count == 4095:
            bits.add(4, width)
            run, width, code_count = 1, 3, 6
    bits.add(5, width)
    data = bits.end()
    return b"\x02" + b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b"\0"


def gif(side, frames, frame_side=1, disposal=0, trailer=b";"):
    """A GIF of black frames at the origin of a large screen."""
    screen = b"GIF89a" + struct.pack("<HHBBB", side, side, 0x81, 0, 0) + bytes(12)
    control = b"\x21\xf9\x04" + bytes([disposal << 2]) + b"\x0a\0\0\0"
    place = b"\x2c" + struct.pack("<HHHHB", 0, 0, frame_side, frame_side, 0)
    return screen + (control + place + lzw(frame_side * frame_side)) * frames + trailer


def riff(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)


def vp8l(side):
    """A lossless WebP picture of one colour: five codes of one symbol each, and no bit for any pixel."""
    bits = Bits()
    for value, width in [(0x2F, 8), (side - 1, 14), (side - 1, 14), (0, 4), (0, 3)] + [(1, 4)] * 5:
        bits.add(value, width)
    return riff(b"VP8L", bits.end())


def webp(side, frames=0, frame_side=0):
    """A WebP of one frame, or an animation on a canvas."""
    if not frames:
        return riff(b"RIFF", b"WEBP" + vp8l(side))
    size = struct.pack("<I", side - 1)[:3] * 2
    frame_size = struct.pack("<I", frame_side - 1)[:3] * 2
    frame = riff(b"ANMF", bytes(6) + frame_size + b"\x64\0\0\0" + vp8l(frame_side))
    return riff(b"RIFF", b"WEBP" + riff(b"VP8X", b"\x02\0\0\0" + size) + riff(b"ANIM", bytes(6)) + frame * frames)


def segment(marker, data):
    return struct.pack(">HH", 0xFF00 | marker, len(data) + 2) + data


def packed(codes):
    """(value, width) pairs to entropy-coded bytes, the highest bit first, padded with ones."""
    text = "".join(f"{value:0{width}b}" for value, width in codes)
    text += "1" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0")


def jpeg(side, scans, components=3, header_only=False):
    """A progressive JPEG of grey: one scan of averages, then scans of single coefficients in runs of "nothing more"."""
    names = range(1, components + 1)
    blocks = ((side + 7) // 8) ** 2
    frame = struct.pack(">BHHB", 8, side, side, components) + b"".join(bytes([name, 0x11, 0]) for name in names)
    file = b"\xff\xd8" + segment(0xDB, b"\0" + b"\x01" * 64) + segment(0xC2, frame)
    # One bit says "no change" of an average; four bits say "nothing more in the next 2^n blocks" of a coefficient.
    file += segment(0xC4, b"\0" + b"\x01" + bytes(15) + b"\0")
    file += segment(0xC4, b"\x10" + bytes([0, 0, 0, 15]) + bytes(12) + bytes(n << 4 for n in range(15)))
    if header_only:
        return file
    every = bytes([components]) + b"".join(bytes([name, 0]) for name in names) + bytes(3)
    data = bytes(blocks * components // 8)
    rest = blocks * components % 8
    file += segment(0xDA, every) + data + (packed([(0, rest)]) if rest else b"")
    codes, left = [], blocks
    while left:
        power = min(14, left.bit_length() - 1)
        run = min(left, (2 << power) - 1)
        codes += [(power, 4)] + ([(run - (1 << power), power)] if power else [])
        left -= run
    run = packed(codes)
    for number in range(scans - 1):
        name, place = number // 63 % components + 1, number % 63 + 1
        file += segment(0xDA, bytes([1, name, 0, place, place, 0])) + run
    return file + b"\xff\xd9"


def pictures():
    """Name, file, and what should be known from the header alone: those must be refused without memory."""
    header, work = True, False
    text = chunk(b"zTXt", b"a\0\0" + zeros(2000 * BLOCK))
    profile = chunk(b"iCCP", b"a\0\0" + zeros(2000 * BLOCK))
    yield "webp-canvas-7000", webp(7000, 5, 16), header
    yield "webp-anim-5x7000-lossless", webp(7000, 5, 7000), header
    yield "webp-256-988", webp(988, 256, 16), header
    yield "webp-7071-lossless", webp(7071), work
    yield "webp-16383-lossless", webp(16383), header
    yield "webp-1000-frames", webp(200, 1000, 200), header
    yield "gif-5x7000-1px", gif(7000, 5), header
    yield "gif-256-988-1px", gif(988, 256), header
    yield "gif-256-988-disp3", gif(988, 256, 988, 3), header
    yield "gif-50-988-disp3", gif(988, 50, 988, 3), work
    yield "gif-65535-1px", gif(65535, 1), header
    yield "gif-7071", gif(7071, 1, 7071), work
    yield "gif-2000-frames", gif(10000, 2000), header
    yield "gif-hdr", gif(7000, 0), header
    yield "gif-hdr-nomore", gif(7000, 0, trailer=b""), header
    yield "gif-13-bytes", gif(7000, 0)[:13], header
    for scans in (1, 20, 98, 99, 120, 5000):
        yield f"jpg-prog-49MP-{scans}", jpeg(7000, scans), work
    yield "jpg-prog-49MP-grey-60", jpeg(7000, 60, 1), work
    yield "jpg-65500-header", jpeg(65500, 1, header_only=True), header
    yield "jpg-7000-header", jpeg(7000, 1, header_only=True), header
    yield "png-30000", png(30000), header
    yield "png-65535-header", png(65535, data=b""), header
    yield "png-7071-1bit", png(7071), work
    yield "png-7071-16bit", png(7071, 16, 6), work
    yield "png-7071-interlaced", png(7071, 8, 2, 1), work
    yield "png-text-2GB", png(10, extra=text), work
    yield "png-profile-2GB", png(10, extra=profile), work
    yield "png-100000-chunks", png(10, extra=chunk(b"tEXt", b"a\0b") * 40000), work
    yield "png-idat-1GB", png(10, data=zeros(1024 * BLOCK)), work
    yield "png-idat-20GB", png(10, data=zeros(20 * 1024 * BLOCK)), work


if __name__ == "__main__":
    # A program of its own, so that the memory this takes is not that of the runner.
    for name, data, is_header in pictures():
        (pathlib.Path(sys.argv[1]) / (name + (".header" if is_header else ".work"))).write_bytes(data)

"""PNG files by hand, small ones that cost much among them."""

import pathlib
import struct
import sys
import zlib

BLOCK = 1 << 20


def zeros(count, ends=True):
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


def pictures():
    """The bombs that `attack bombs` does not write: too large for it, or of no other use."""
    text = chunk(b"zTXt", b"a\0\0" + zeros(2000 * BLOCK))
    profile = chunk(b"iCCP", b"a\0\0" + zeros(2000 * BLOCK))
    yield "png-65500.header", png(65500, data=zeros(BLOCK, ends=False))
    yield "png-5000-1bit.work", png(5000)
    yield "png-7071-1bit.work", png(7071)
    yield "png-7071-16bit.work", png(7071, 16, 6)
    yield "png-7071-interlaced.work", png(7071, 8, 2, 1)
    yield "png-text-2GB.work", png(10, extra=text)
    yield "png-profile-2GB.work", png(10, extra=profile)
    yield "png-idat-20GB.work", png(10, data=zeros(20 * 1024 * BLOCK))


if __name__ == "__main__":
    # A program of its own, so that the memory this takes is not that of the runner.
    for name, data in pictures():
        (pathlib.Path(sys.argv[1]) / name).write_bytes(data)

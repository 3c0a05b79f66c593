# SPDX-License-Identifier: MIT
"""An origin in a process of its own: as many different photos as anyone asks for, made from a few.

    /usr/bin/python3 origin.py FOLDER        prints its port

`/DELAY/MEGAPIXELS/NUMBER.jpg` is a photo, after so many milliseconds; of 0 megapixels it has 2 to 12 by its number, and
every fifth is progressive. The number is in a comment of the file, so that no two files are equal. `/count` tells how
many photos were asked for since the last time.
"""
import asyncio, pathlib, random, sys
from PIL import Image, ImageChops, ImageFilter

SIZES = 2, 4, 6, 8, 10, 12


def photo(folder, megapixels, is_progressive):
    """The file of a generated photo with soft shapes, edges and noise; made once for a folder."""
    file = pathlib.Path(folder, f"{megapixels}{'p' if is_progressive else ''}.jpg")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        width = round((megapixels * 1e6 * 4 / 3) ** 0.5)
        size = width, width * 3 // 4
        random.seed(megapixels)
        shades = [Image.linear_gradient("L").rotate(90 * turn).resize(size) for turn in range(3)]
        shapes = Image.effect_mandelbrot(size, (-0.8, -0.3, -0.3, 0.1), 90).filter(ImageFilter.GaussianBlur(1))
        noise = Image.effect_noise((size[0] // 2, size[1] // 2), 40).resize(size)
        texture = ImageChops.add(shapes, noise, scale=2).convert("RGB")
        picture = ImageChops.add(Image.merge("RGB", shades), texture, scale=2)
        picture.save(file.with_suffix(".part"), "JPEG", quality=88, progressive=is_progressive)
        file.with_suffix(".part").rename(file)
    return file.read_bytes()


async def serve(folder):
    files = {(size, kind): photo(folder, size, kind) for size in SIZES for kind in (False, True)}
    count = 0

    async def reply(target):
        nonlocal count
        if target == "/count":
            parts, count = [str(count).encode()], 0
            return parts
        count += 1
        delay, megapixels, number = map(int, target.removesuffix(".jpg").strip("/").split("/"))
        await asyncio.sleep(delay / 1e3)
        file = files[megapixels or SIZES[number // 5 % len(SIZES)], megapixels == 0 and number % 5 == 4]
        comment = str(number).encode()
        return [file[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment, memoryview(file)[2:]]

    async def answer(reader, writer):
        try:
            while True:
                parts = await reply((await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode())
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nCache-Control: max-age=3600\r\n"
                             b"Content-Length: %d\r\n\r\n" % sum(map(len, parts)))
                for part in parts: writer.write(part)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(serve(sys.argv[1]))
    except KeyboardInterrupt:
        pass

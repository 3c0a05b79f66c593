# SPDX-License-Identifier: MIT
"""Chromium without a window, driven over a pipe by its DevTools protocol. As a program it makes a picture of the page
of a server:

    python3 Tests/Server/browser.py http://127.0.0.1:8080/ page.webp
"""

import base64
import collections
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

import world


class Chromium:
    """A browser with one page. Every wait ends with an error after `world.LIMIT` seconds."""

    @staticmethod
    def is_installed():
        return world.program("chromium") is not None

    def __init__(self, folder):
        commands, self.to = os.pipe()
        self.source, events = os.pipe()

        def prepare():  # the browser reads descriptor 3 and writes descriptor 4
            kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (commands, events)]
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [world.program("chromium"), "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={folder}/browser", "about:blank"],
            preexec_fn=prepare, close_fds=False, start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(events)
        self.number, self.bytes, self.events, self.session = 0, b"", collections.deque(), None
        page = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.to)
        os.close(self.source)

    # The protocol

    def post(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        return self.number

    def send(self, method, **parameters):
        number = self.post(method, **parameters)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def receive(self):
        end = time.monotonic() + world.LIMIT
        while b"\0" not in self.bytes:
            if not select.select([self.source], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            read = os.read(self.source, 1 << 16)
            if not read:
                raise EOFError("the browser has ended")
            self.bytes += read
        message, _, self.bytes = self.bytes.partition(b"\0")
        return json.loads(message)

    def event(self, method, accepts=lambda parameters: True):
        """The next event of this name, taken out of those that have come."""
        end = time.monotonic() + world.LIMIT
        while True:
            for message in self.events:
                if message["method"] == method and accepts(message["params"]):
                    self.events.remove(message)
                    return message["params"]
            if time.monotonic() > end:
                raise TimeoutError(f"never came: {method}")
            message = self.receive()
            if "method" in message:
                self.events.append(message)

    def taken(self, method):
        """The events of this name that have come."""
        self.run("0")  # what was sent before its answer has come
        found = [message for message in self.events if message["method"] == method]
        for message in found:
            self.events.remove(message)
        return [message["params"] for message in found]

    # The page

    def open(self, url):
        self.send("Page.navigate", url=url)
        self.event("Page.loadEventFired")

    def run(self, script):
        """The value of an expression in the page; of a promise, what it is fulfilled with."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def wait(self, script):
        """Waits until an expression is true."""
        end = time.monotonic() + world.LIMIT
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {script}")
            time.sleep(0.02)

    def key(self, name, text=None):
        codes = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39, "Backspace": 8}
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=codes[name],
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        for character in text:
            self.send("Input.insertText", text=character)

    def screen(self, width, height, is_dark=False, is_phone=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        scheme = "dark" if is_dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        """Writes the whole page as a PNG or WebP file."""
        self.send("Emulation.setScrollbarsHidden", hidden=True)
        data = self.send("Page.captureScreenshot", format=path.rpartition(".")[2], captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        chromium = Chromium(folder)
        try:
            chromium.screen(1280, 900)
            chromium.open(sys.argv[1])
            chromium.wait("document.querySelector('main').ariaBusy === 'false'")
            chromium.wait("[...document.images].every(image => image.complete)")
            chromium.picture(sys.argv[2])
        finally:
            chromium.end()

# SPDX-License-Identifier: MIT
"""The servers that are compared, each with two workers, and what their processes use."""
import asyncio, atexit, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKERS = 2
LONGEST = 600  # seconds for one answer


async def exchange(connection, target):
    """One request on a kept connection. Returns its status, its head and its body."""
    reader, writer = connection
    writer.write(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b""
    return int(head.split(b" ", 2)[1]), head, body


class Origin:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "origin.py", ROOT / ".build" / "server-load"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def url(self, number, megapixels=0, delay=0):
        return f"http://127.0.0.1:{self.port}/{delay}/{megapixels}/{number}.jpg"

    async def fetch(self, url):
        connection = await asyncio.open_connection("127.0.0.1", self.port)
        body = (await exchange(connection, "/" + url.split("/", 3)[3]))[2]
        connection[1].close()
        return body

    async def count(self):
        """How many photos were asked for since the last call."""
        return int(await self.fetch(f"http://127.0.0.1:{self.port}/count"))

    def stop(self):
        self.process.kill()
        self.process.wait()


class Group:
    """A control group with a limit of memory; either version of the kernel's."""
    VERSIONS = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"),
                ("/sys/fs/cgroup", "memory.max", "memory.peak", "memory.events"))

    @classmethod
    def made(cls, megabytes):
        """`None` where the machine lets no such group be made; root may do it."""
        for root, limit, peak, events in cls.VERSIONS:
            path = pathlib.Path(root, f"server-load-{os.getpid()}")
            try:
                path.mkdir()
                # The kernel makes the files of a group; elsewhere the folder is empty.
                if (path / limit).exists():
                    (path / limit).write_text(str(megabytes << 20))
                    group = cls()
                    group.path, group.peak_file, group.events = path, path / peak, path / events
                    return group
                path.rmdir()
            except OSError:
                pass

    def enter(self): (self.path / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def peak(self): return int(self.peak_file.read_text())

    @property
    def kills(self): return int((re.search(r"oom_kill (\d+)", self.events.read_text()) or [0, 0])[1])

    def end(self):
        for _ in range(100):  # the last processes may just be ending
            try:
                return self.path.rmdir()
            except OSError:
                time.sleep(0.05)


class Contender:
    """A server. A subclass says how it is started, and which target asks for a picture of 500 pixels."""
    formats = "jpeg", "webp"
    isServer = True

    def __init__(self, origin, group=None, log=None):
        self.origin, self.log = origin, log
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="server-load-"))
        self.folder.chmod(0o755)
        self.port = 20_000 + os.getpid() * 7 % 10_000 + list(CONTENDERS).index(self.name)
        self.start(group)

    def start(self, group):
        with open(self.folder / "errors", "w") as errors:
            self.process = subprocess.Popen(self.command(), stdout=self.log or subprocess.DEVNULL, stderr=errors,
                                            preexec_fn=group and group.enter, start_new_session=True)
        atexit.register(self.kill)

    async def ready(self):
        for _ in range(300):
            try:
                return self.close(await self.connect())
            except OSError:
                if self.process.poll() is not None: break
                await asyncio.sleep(0.1)
        raise SystemExit(f"{self.name} does not start: {(self.folder / 'errors').read_text()[-2000:]}")

    def read(self, name):
        """A file that the system has of the server's process and of each of its children."""
        found = [self.process.pid]
        for pid in found:
            found += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return [pathlib.Path(f"/proc/{pid}/{name}").read_text() for pid in found]

    def processor_seconds(self):
        fields = [text.rsplit(")", 1)[1].split() for text in self.read("stat")]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """The sum of what each process has held at most, in bytes; 0 when one has ended."""
        try:
            return sum(int(re.search(r"VmHWM:\s+(\d+)", text)[1]) * 1024 for text in self.read("status"))
        except (OSError, TypeError):
            return 0

    async def connect(self): return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, connection, url, format="jpeg"):
        return await asyncio.wait_for(exchange(connection, self.target(url, format)), LONGEST)

    def close(self, connection): connection[1].close()

    def kill(self):
        """Ends what is left of the server, with children that outlive it."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        self.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class ImageServer(Contender):
    name, options = "image-server", ()
    needs = {ROOT / ".build/release/image-server": "swift build -c release --product image-server"}

    def command(self):
        return [*self.needs, "--port", str(self.port), "--no-metrics", "--unsigned", "--allow-host", "127.0.0.1",
                "--allow-network", "127.0.0.1/32", "--workers", str(WORKERS), *([] if self.log else ["--no-log"]),
                *self.options]

    def target(self, url, format): return f"/w500,{format},q80/unsigned/plain/{url}"


class Nginx(Contender):
    name, formats = "nginx", ("jpeg",)
    module = pathlib.Path("/usr/lib/nginx/modules/ngx_http_image_filter_module.so")
    needs = {pathlib.Path("/usr/sbin/nginx"): "apt-get install nginx",
             module: "apt-get install libnginx-mod-http-image-filter"}

    def command(self):
        paths = " ".join(f"{name}_temp_path {self.folder}/{name};"
                         for name in ("proxy", "client_body", "fastcgi", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(f"""daemon off; worker_processes {WORKERS}; pid {self.folder}/pid;
load_module {self.module}; error_log {self.folder}/errors crit; worker_rlimit_nofile 20000;
events {{ worker_connections 8000; }}
http {{ access_log off; proxy_read_timeout {LONGEST}; merge_slashes off; {paths}
server {{ listen 127.0.0.1:{self.port} backlog=4096; location ~ ^/(?<rest>[0-9/]+\\.jpg)$ {{
proxy_pass http://127.0.0.1:{self.origin.port}/$rest; proxy_buffers 16 64k; image_filter resize 500 -;
image_filter_buffer 20M; image_filter_jpeg_quality 80; }} }} }}""")
        return ["/usr/sbin/nginx", "-c", self.folder / "nginx.conf"]

    def target(self, url, format): return "/" + url.split("/", 3)[3]


class Thumbor(Contender):
    name = "thumbor"
    program = pathlib.Path(os.environ.get("THUMBOR", ROOT / ".build/thumbor/bin/thumbor"))
    needs = {program: "python3 -m venv .build/thumbor; .build/thumbor/bin/pip install thumbor"}

    def command(self):
        (self.folder / "conf").write_text("ALLOW_UNSAFE_URL = True\nSTORAGE = 'thumbor.storages.no_storage'\n"
                                          "QUALITY = 80\nWEBP_QUALITY = 80\n")
        return [self.program, "--port", str(self.port), "--ip", "127.0.0.1", "--conf", self.folder / "conf",
                "--processes", str(WORKERS), "--log-level", "critical"]

    def target(self, url, format): return f"/unsafe/500x0/filters:format({format})/{url}"


class Vips(Contender):
    """No server: a process for each picture, from a file, and six at once at most."""
    name, isServer = "vipsthumbnail", False
    needs = {pathlib.Path("/usr/bin/vipsthumbnail"): "apt-get install libvips-tools"}

    def start(self, group): self.seconds, self.most = 0.0, 0
    async def connect(self): pass
    def close(self, connection): pass
    def processor_seconds(self): return self.seconds
    def peak(self): return self.most
    def stop(self): shutil.rmtree(self.folder, ignore_errors=True)

    async def ask(self, connection, url, format="jpeg"):
        photo = self.folder / f"{time.monotonic_ns()}.jpg"
        made = photo.with_suffix(".made." + format)
        photo.write_bytes(await self.origin.fetch(url))
        status, usage = await asyncio.to_thread(self.run, photo, f"{made}[Q=80,strip]")
        self.seconds += usage.ru_utime + usage.ru_stime
        self.most = max(self.most, usage.ru_maxrss * 1024)
        photo.unlink()
        return (200, b"", made.read_bytes()) if status == 0 else (500, b"", b"")

    @staticmethod
    def run(photo, made):
        process = subprocess.Popen(["vipsthumbnail", "--size", "500x", "-o", made, photo], stderr=subprocess.DEVNULL)
        _, process.returncode, usage = os.wait4(process.pid, 0)
        return process.returncode, usage


CONTENDERS = {each.name: each for each in (ImageServer, Nginx, Thumbor, Vips)}

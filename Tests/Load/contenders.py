# SPDX-License-Identifier: MIT
"""The servers that are compared, each with two workers, and what their processes use."""
import asyncio, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKERS = 2
LONGEST = 600  # seconds for one answer


class Origin:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "origin.py", ROOT / ".build" / "server-load"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def url(self, number, megapixels=0, delay=0):
        return f"http://127.0.0.1:{self.port}/{delay}/{megapixels}/{number}.jpg"

    async def count(self):
        """How many photos were asked for since the last call."""
        connection = await asyncio.open_connection("127.0.0.1", self.port)
        return int((await exchange(connection, "/count"))[2])

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(10)


async def exchange(connection, target):
    """One request on a kept connection. Returns its status, its head and its body."""
    reader, writer = connection
    writer.write(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b""
    return int(head.split(b" ", 2)[1]), head, body


async def fetch(url):
    port, target = re.fullmatch(r"http://127.0.0.1:(\d+)(.*)", url).groups()
    connection = await asyncio.open_connection("127.0.0.1", int(port))
    body = (await exchange(connection, target))[2]
    connection[1].close()
    return body


class Group:
    """A control group with a limit of memory; either version of the kernel's."""

    def __init__(self, megabytes):
        for root, limit, peak, events in (
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"),
            ("/sys/fs/cgroup", "memory.max", "memory.peak", "memory.events"),
        ):
            self.path = pathlib.Path(root, f"server-load-{os.getpid()}")
            try:
                self.path.mkdir()
                # The kernel makes the files of a group; elsewhere the folder is empty.
                if (self.path / limit).exists():
                    (self.path / limit).write_text(str(megabytes << 20))
                    self.peak_file, self.events = self.path / peak, self.path / events
                    return
                self.path.rmdir()
            except OSError:
                pass
        raise OSError("This machine lets no control group with a limit of memory be made; root may do it.")

    @classmethod
    def made(cls, megabytes):
        """`None` where the machine lets no group be made."""
        try:
            return cls(megabytes)
        except OSError:
            return None

    def enter(self): (self.path / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def peak(self): return int(self.peak_file.read_text())

    @property
    def kills(self): return int((re.search(r"oom_kill (\d+)", self.events.read_text()) or [0, 0])[1])

    def end(self): self.path.rmdir()


class Contender:
    """A server. A subclass says how it is started, and which target asks for a picture of 500 pixels."""
    formats = "jpeg", "webp"

    def __init__(self, group=None, log=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="server-load-"))
        self.folder.chmod(0o755)
        self.port = 20_000 + os.getpid() * 7 % 10_000 + list(CONTENDERS).index(self.name)
        self.process = subprocess.Popen(
            self.command(), stdout=log or subprocess.DEVNULL, stderr=open(self.folder / "errors", "w"),
            preexec_fn=group.enter if group else None)

    @classmethod
    def missing(cls):
        """Why the contender cannot run here; `None` when it can."""

    async def ready(self):
        for _ in range(300):
            try:
                return (await asyncio.open_connection("127.0.0.1", self.port))[1].close()
            except OSError:
                if self.process.poll() is not None: break
                await asyncio.sleep(0.1)
        raise SystemExit(f"{self.name} does not start: {(self.folder / 'errors').read_text()[-2000:]}")

    def processes(self):
        """The server's process and its children."""
        found = [self.process.pid]
        for pid in found:
            try:
                found += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            except OSError:
                pass
        return found

    def processor_seconds(self):
        fields = [open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split() for pid in self.processes()]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        """The sum of what each process has held at most, in bytes; 0 when it has ended."""
        try:
            texts = [open(f"/proc/{pid}/status").read() for pid in self.processes()]
            return sum(int(re.search(r"VmHWM:\s+(\d+)", text)[1]) * 1024 for text in texts)
        except (OSError, TypeError):
            return 0

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, connection, url, format="jpeg"):
        return await asyncio.wait_for(exchange(connection, self.target(url, format)), LONGEST)

    def close(self, connection): connection[1].close()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class ImageServer(Contender):
    name, options = "image-server", ()

    def command(self):
        program = ROOT / ".build" / "release" / "image-server"
        logs = [] if self.logs else ["--no-log"]
        return [program, "--port", str(self.port), "--no-metrics", "--unsigned", "--allow-host", "127.0.0.1",
                "--allow-network", "127.0.0.1/32", "--workers", str(WORKERS), *logs, *self.options]

    def __init__(self, group=None, log=None):
        self.logs = log is not None
        super().__init__(group, log)

    def target(self, url, format): return f"/w500,{format},q80/unsigned/plain/{url}"


class Nginx(Contender):
    name, formats = "nginx", ("jpeg",)
    module = pathlib.Path("/usr/lib/nginx/modules/ngx_http_image_filter_module.so")

    @classmethod
    def missing(cls):
        if not shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"): return "nginx is not installed"
        if not cls.module.exists(): return "libnginx-mod-http-image-filter is not installed"

    def command(self):
        (self.folder / "nginx.conf").write_text(f"""daemon off; worker_processes {WORKERS}; pid {self.folder}/pid;
load_module {self.module}; error_log {self.folder}/errors crit; worker_rlimit_nofile 20000;
events {{ worker_connections 8000; }}
http {{ access_log off; proxy_temp_path {self.folder}/t; proxy_read_timeout {LONGEST};
client_body_temp_path {self.folder}/b; fastcgi_temp_path {self.folder}/f;
uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;
server {{ listen 127.0.0.1:{self.port} backlog=4096; location ~ ^/http://127.0.0.1:(?<port>[0-9]+)/(?<rest>.*)$ {{
proxy_pass http://127.0.0.1:$port/$rest; proxy_buffers 16 64k; image_filter resize 500 -; image_filter_buffer 20M;
image_filter_jpeg_quality 80; }} merge_slashes off; }} }}""")
        return ["/usr/sbin/nginx", "-c", self.folder / "nginx.conf"]

    def target(self, url, format): return "/" + url


class Thumbor(Contender):
    name = "thumbor"
    program = pathlib.Path(os.environ.get("THUMBOR", ROOT / ".build" / "thumbor" / "bin" / "thumbor"))

    @classmethod
    def missing(cls):
        if not cls.program.exists():
            folder = ROOT / ".build" / "thumbor"
            return f"{cls.program} is not there: python3 -m venv {folder}; {folder}/bin/pip install thumbor"

    def command(self):
        (self.folder / "conf").write_text("ALLOW_UNSAFE_URL = True\nSTORAGE = 'thumbor.storages.no_storage'\n"
                                          "QUALITY = 80\nWEBP_QUALITY = 80\n")
        return [self.program, "--port", str(self.port), "--ip", "127.0.0.1", "--conf", self.folder / "conf",
                "--processes", str(WORKERS), "--log-level", "critical"]

    def target(self, url, format): return f"/unsafe/500x0/filters:format({format})/{url}"


class Vips(Contender):
    """No server: a process for each picture, from a file."""
    name = "vipsthumbnail"

    def __init__(self, group=None, log=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="server-load-"))
        self.seconds, self.most = 0.0, 0

    @classmethod
    def missing(cls):
        if not shutil.which("vipsthumbnail"): return "libvips-tools is not installed"

    async def ready(self): pass
    async def connect(self): pass
    def close(self, connection): pass
    def processor_seconds(self): return self.seconds
    def peak(self): return self.most

    async def ask(self, connection, url, format="jpeg"):
        name = str(time.monotonic_ns())
        file, made = self.folder / f"{name}.jpg", self.folder / f"{name}.made.{format}"
        file.write_bytes(await fetch(url))
        status, usage = await asyncio.to_thread(self.run, file, f"{made}[Q=80,strip]")
        self.seconds += usage.ru_utime + usage.ru_stime
        self.most = max(self.most, usage.ru_maxrss * 1024)
        body = made.read_bytes() if status == 0 else b""
        made.unlink(missing_ok=True)
        file.unlink()
        return 200 if status == 0 else 500, b"", body

    def run(self, file, made):
        process = subprocess.Popen(["vipsthumbnail", "--size", "500x", "-o", made, file], stderr=subprocess.DEVNULL)
        _, process.returncode, usage = os.wait4(process.pid, 0)
        return process.returncode, usage

    def stop(self): shutil.rmtree(self.folder, ignore_errors=True)


CONTENDERS = {each.name: each for each in (ImageServer, Nginx, Thumbor, Vips)}

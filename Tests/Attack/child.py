"""Runs a child under a watchdog and tells what it used; keeps the score of a row."""

import collections
import math
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading

Result = collections.namedtuple("Result", "status output errors memory cpu hung")


class Row:
    """One line of the table: how many attacks were tried, how many did no harm, and the worst figures."""

    def __init__(self, name):
        self.name, self.tried, self.survived, self.memory, self.seconds = name, 0, 0, 0, 0
        self.losses, self.notes = [], []

    def judge(self, survived, message, result=None):
        """Counts one attack; a child that crashed or hung is a loss whatever else is true."""
        if result is not None:
            self.memory, self.seconds = max(self.memory, result.memory), max(self.seconds, result.cpu)
            if result.hung or result.status < 0 or "runtime error" in result.errors or "Sanitizer" in result.errors:
                end = "hung" if result.hung else f"ended with {result.status}"
                survived, message = False, f"{message}: {end} {brief(result.errors)}"
        self.tried += 1
        self.survived += bool(survived)
        if not survived:
            self.losses.append(message)


def brief(errors):
    """The lines of a crash that say what and where."""
    telling = ("ERROR: Addr", "runtime error", "Fatal error", "LOSS", "    #0", "    #1 ", "    #2 ")
    return "\n        ".join([line[:200] for line in errors.splitlines() if any(word in line for word in telling)][:6])


def clean_environment(extra=None):
    """Without the proxies, sanitizer options and CI settings of the shell this runs in."""
    kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower() and "SAN_" not in key}
    kept |= {"SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
             "UBSAN_OPTIONS": "print_stacktrace=1"}
    return kept | {"NO_COLOR": "1"} | (extra or {})


class Child:
    """A process in a group of its own, whose peak of memory (MB) and processor time (s) are told at its end.

    On Linux a child's peak begins with its parent's size at the time of `exec`, so this program has to stay small:
    large files go through the disk.
    """

    def __init__(self, command, limit=60, environment=None, address_space=None, cpu=None, memory_group=None,
                 descriptors=None):
        self.files = [tempfile.TemporaryFile() for _ in range(2)]
        if memory_group:
            command = ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(memory_group), *command]
        bounds = {resource.RLIMIT_AS: address_space, resource.RLIMIT_CPU: cpu and math.ceil(cpu),
                  resource.RLIMIT_NOFILE: descriptors}

        def bound():
            for kind, most in bounds.items():
                if most:
                    resource.setrlimit(kind, (most, most))

        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=self.files[0], stderr=self.files[1],
            env=clean_environment(environment), start_new_session=True, preexec_fn=bound if any(bounds.values()) else None)
        self.hung = False
        self.timer = threading.Timer(limit, self.expire)
        self.timer.start()

    def expire(self):
        self.hung = True
        self.kill()

    def kill(self):
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def tell(self, line="\n"):
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def result(self):
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.timer.cancel()
        self.process.stdin.close()
        texts = []
        for file in self.files:
            file.seek(0)
            texts.append(file.read(1 << 24).decode(errors="replace"))
            file.close()
        cpu = usage.ru_utime + usage.ru_stime
        return Result(self.process.returncode, *texts, usage.ru_maxrss / 1024, cpu, self.hung)


def run(command, **options):
    return Child(command, **options).result()


class MemoryGroup:
    """A control group with a limit, version 1 or 2, below the group of this process; `path` is None when there can be none."""

    def __init__(self, megabytes):
        self.path, self.reason = None, "there is no memory controller"
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, place = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            root, file = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") if controllers else (
                "/sys/fs/cgroup", "memory.max")
            folder = pathlib.Path(root + place) / f"attack-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError as error:
                self.reason = str(error)
                continue
            try:
                (folder / file).write_text(str(megabytes << 20))
                self.path = folder
                return
            except OSError as error:
                self.reason = str(error)
                folder.rmdir()

    def remove(self):
        if self.path:
            self.path.rmdir()

"""Plays an image and its containers without an engine: a bare Debian in a folder, a network namespace, and chroot.

What Docker would do beyond that (layers, control groups, seccomp) is not played.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import time

TOOLS = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
#: What `docker build` is given.
CONTEXT = pathlib.Path(__file__).parents[2]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Failed(Exception):
    pass


def tool(*words, **more):
    done = subprocess.run(list(map(str, words)), env=TOOLS, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        raise Failed(f"{shlex.join(map(str, words))}\n{done.stdout[-3000:]}")
    return done.stdout


class Place:
    """A folder for roots and volumes, and a network with nothing in it but loopback."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fanfare-containers-"))
        self.network = f"fanfare-{os.getpid()}"
        self.running = []

    def __enter__(self):
        tool("ip", "netns", "add", self.network)
        tool("ip", "-n", self.network, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for container in reversed(self.running):
            container.kill()
        tool("ip", "netns", "delete", self.network)
        shutil.rmtree(self.folder)

    def root(self, suite, *packages):
        root = self.folder / f"root-{len(list(self.folder.iterdir()))}"
        tool("debootstrap", "--variant=minbase", *([f"--include={','.join(packages)}"] if packages else []), suite, root)
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        return root


class Image:
    """The last stage of a Dockerfile, built on a bare root."""

    def __init__(self, place, root, stage, built):
        self.place, self.root, self.stage = place, root, stage
        for name, argument in stage.steps:
            self.copy(argument, built) if name == "COPY" else self.run(argument)

    def run(self, script):
        # Packages ask for /proc; an engine has it mounted.
        tool(
            "unshare", "--mount", "--propagation", "private", "sh", "-c",
            f'mount -t proc proc {self.root}/proc && exec chroot {self.root} env -i PATH={PATH} /bin/sh -c "$1"', "sh", script)

    def copy(self, argument, built):
        words = argument.split()
        if len(words) == 2:
            shutil.copy(CONTEXT / words[0], self.root / words[1].lstrip("/"))
            return
        found = re.fullmatch(r"--from=build /src/\.build/deb/(\S+) (\S+)/", argument)
        if not found:
            raise Failed(f"COPY {argument}: not known here")
        files = sorted(pathlib.Path(built).glob(found[1]))
        if len(files) != 1:
            raise Failed(f"COPY {argument}: {len(files)} files in {built}")
        shutil.copy(files[0], self.root / found[2].lstrip("/"))


class Container:
    """A process in an image, as its user, with volumes, and when asked without a place to write beside them."""

    def __init__(self, name, image, words, environment, volumes, is_read_only, health, user):
        self.name, self.image, self.volumes, self.is_read_only, self.health = name, image, volumes, is_read_only, health
        self.user = user
        self.environment = {"PATH": PATH, **image.stage.environment, **environment}
        self.words = words
        self.log = image.place.folder / f"{name}.log"
        self.start()

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.wrapped(self.words), env=TOOLS, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.image.place.running.append(self)

    def wrapped(self, words):
        stage, root = self.image.stage, self.image.root
        mounts = [f"mount --bind {root} {root}", f"mount -t proc proc {root}/proc"]
        mounts += [f"mount -t tmpfs -o mode=1777 tmpfs {root}/tmp"] if not self.is_read_only else []
        for source, target, is_read_only in self.volumes:
            mounts.append(f"mount --bind {source} {root}{target}")
            mounts += [f"mount -o remount,ro,bind {root}{target}"] if is_read_only else []
        if self.is_read_only:
            mounts.append(f"mount -o remount,ro,bind {root}")
        inside = f"cd {stage.folder} && exec \"$@\""
        enter = (
            f"exec setpriv --no-new-privs env -i {shlex.join(f'{k}={v}' for k, v in self.environment.items())}"
            f" chroot --userspec={self.user} {root} /bin/sh -c {shlex.quote(inside)} sh \"$@\"")
        return [
            "ip", "netns", "exec", self.image.place.network, "unshare", "--mount", "--propagation", "private", "sh", "-c",
            " && ".join(mounts) + " && " + enter, "sh", *words]

    def execute(self, *words):
        return subprocess.run(self.wrapped(words), env=TOOLS, text=True, capture_output=True)

    def await_health(self, seconds=30):
        end = time.monotonic() + seconds
        while True:
            if self.process.poll() is not None:
                raise Failed(f"{self.name} has ended with {self.process.returncode}\n{self.log.read_text()[-3000:]}")
            if self.execute(*self.health).returncode == 0:
                return
            if time.monotonic() > end:
                raise Failed(f"{self.name} is not healthy\n{self.log.read_text()[-3000:]}")
            time.sleep(0.2)

    def stop(self, seconds):
        """As an engine does it: SIGTERM, and so many seconds."""
        self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.name} has not stopped within {seconds} s") from None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

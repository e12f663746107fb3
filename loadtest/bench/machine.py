"""Where and with what was measured."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import time

from .failure import BenchFailure
from .nginx import PATH

#: Programs, the packages of Debian that have them, and what makes them say their version.
TOOLS = {
    "h2load": ("nghttp2-client", ["--version"]),
    "nginx": ("nginx-light", ["-v"]),
    "redis-server": ("redis-server", ["--version"]),
    "wrk": ("wrk", ["-v"]),
    "openssl": ("openssl", ["version"]),
}


def check_tools():
    missing = [package for tool, (package, _) in TOOLS.items() if shutil.which(tool, path=PATH) is None]
    if missing:
        raise BenchFailure(f"not installed: {', '.join(missing)} (Debian's names). Install them with:\n"
                           f"    sudo apt-get install -y --no-install-recommends {' '.join(missing)}")


def versions():
    found = {}
    for tool, (_, arguments) in TOOLS.items():
        result = subprocess.run(
            [shutil.which(tool, path=PATH), *arguments], capture_output=True, text=True, timeout=30, check=False)
        found[tool] = version_in(result.stdout + result.stderr)
    return found


def version_in(text):
    match = re.search(r"\d+(\.\d+)+", text)
    return match.group() if match else "unknown"


def keep_to_two_cores():
    """This process and all that it starts. Returns how many cores it is on a smaller machine."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)
    return len(cores)


def description(cores):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = re.findall(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    return {
        "cores": os.cpu_count(), "cores_used": cores, "cpu": models[0].strip() if models else platform.machine(),
        "kernel": platform.release(), "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9),
    }


def build(binaries):
    """Which build is measured: its name, when it was made, and how its bytes begin when they are hashed."""
    path = os.path.join(binaries, "fanfare")
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    made = time.strftime("%Y-%m-%d %H:%M", time.gmtime(os.stat(path).st_mtime))
    return f"{os.path.basename(path)}, made {made}, sha256 {digest.hexdigest()[:12]}"


def load_average():
    return [round(each, 2) for each in os.getloadavg()]


def commit():
    """The commit of the sources, with a + when they are changed."""
    try:
        result = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"], capture_output=True, text=True, timeout=30,
            check=True, cwd=os.path.dirname(os.path.abspath(__file__)))
        return result.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"

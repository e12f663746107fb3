"""nginx of Debian's nginx-light, with one worker: the yardstick for syncs."""

import os
import shutil
import socket

from .failure import BenchFailure

#: Where Debian puts it is not in everyone's path.
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class Nginx:
    """Answers every request with one fixed text."""

    def __init__(self, place, text):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        paths = " ".join(f"{each}_temp_path {place.path('nginx-' + each)};"
                         for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = place.path("nginx.conf")
        with open(configuration, "w", encoding="ascii") as file:
            file.write(f"""daemon off; worker_processes 1; pid {place.path("nginx.pid")}; error_log stderr;
events {{ worker_connections 16384; }}
http {{
    access_log off; keepalive_timeout 65; keepalive_requests 100000000; {paths}
    server {{
        listen 127.0.0.1:{self.port};
        location / {{ default_type application/json; return 200 '{text}'; }}
    }}
}}
""")
        self.server = place.start("nginx", [executable(), "-e", "stderr", "-c", configuration, "-p", place.directory])
        self.worker = self.server.wait_until("having its worker", self._workers)[0]
        self.server.wait_until("listening", self._listens)

    def _workers(self):
        with open(f"/proc/{self.server.pid}/task/{self.server.pid}/children", encoding="ascii") as file:
            return [int(each) for each in file.read().split()]

    def _listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"


def executable():
    path = shutil.which("nginx", path=PATH)
    if path is None:
        raise BenchFailure("nginx is missing: apt-get install nginx-light")
    return path

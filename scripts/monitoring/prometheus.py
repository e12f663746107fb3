"""promtool, and a Prometheus that scrapes and evaluates every second."""

import json
import pathlib
import subprocess
import urllib.parse

from . import ROOT
from .scene import answers, call, free_port, wait_for

_CONFIGURATION = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
scrape_configs:
  - job_name: fanfare
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
rule_files: [{rules}]
"""


def promtool(*arguments, text=None):
    """Exit status, and what it says."""
    result = subprocess.run(
        ["promtool", *arguments], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


class Prometheus:
    """Ends with the scene."""

    def __init__(self, scene):
        configuration = pathlib.Path(scene.folder) / "prometheus.yml"
        configuration.write_text(
            _CONFIGURATION.format(port=scene.port, rules=ROOT / "monitoring/fanfare.rules.yaml"))
        port = free_port()
        scene.start([
            "prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={scene.folder}/prometheus",
            f"--web.listen-address=127.0.0.1:{port}"])
        self.url = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers(f"{self.url}/-/ready"), "Prometheus")

    def _get(self, path, **query):
        status, text = call("GET", f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}")
        if status != 200:
            raise ValueError(json.loads(text).get("error", text))
        return json.loads(text)["data"]

    def series(self, query, begin, end):
        """How many series a query gave between two times; ValueError when it is none."""
        return len(self._get("query_range", query=query, start=begin, end=end, step=1)["result"])

    def samples(self, query):
        return self._get("query", query=query)["result"]

    def is_firing(self, alert):
        return any(each["labels"]["alertname"] == alert and each["state"] == "firing"
                   for each in self._get("alerts")["alerts"])

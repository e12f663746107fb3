import base64
import json
import os
import subprocess
import sys
import unittest

from bench import figures_engine, h2load, probe, provider, usage
from bench.failure import BenchFailure
from bench.machine import version_in

H2LOAD = """
finished in 1.41s, 70941.86 req/s, 5.14MB/s
requests: 100000 total, 99999 started, 99998 done, 99997 succeeded, 3 failed, 2 errored, 1 timeout
status codes: 99990 2xx, 4 3xx, 5 4xx, 6 5xx
traffic: 7.25MB (7599790) total, 3.34MB (3499350) headers (space savings 33.97%), 2.19MB (2300000) data
"""


class H2LoadTests(unittest.TestCase):
    def test_every_counter_is_read(self):
        self.assertEqual(h2load.read(H2LOAD), {
            "total": 100000, "started": 99999, "done": 99998, "succeeded": 99997, "failed": 3, "errored": 2,
            "timeout": 1, "2xx": 99990, "3xx": 4, "4xx": 5, "5xx": 6})

    def test_an_output_without_counters_is_a_failure(self):
        with self.assertRaises(BenchFailure):
            h2load.read("invalid URI: /3/device")


class SignatureTests(unittest.TestCase):
    def test_a_short_integer_is_filled_up_and_a_sign_byte_goes(self):
        r, s = b"\x05" * 31, b"\x00" + b"\x90" * 32
        der = b"\x02" + bytes([len(r)]) + r + b"\x02" + bytes([len(s)]) + s
        raw = provider.raw_signature(b"\x30" + bytes([len(der)]) + der)
        self.assertEqual(raw, b"\x00" + b"\x05" * 31 + b"\x90" * 32)

    def test_anything_else_is_refused(self):
        for bad in [b"", b"\x30\x06\x02\x01\x01", b"\x30\x06\x03\x01\x01\x02\x01\x01", b"\x31\x06\x02\x01\x01\x02\x01\x01"]:
            with self.assertRaises(ValueError):
                provider.raw_signature(bad)

    def test_base64url_has_no_padding(self):
        self.assertEqual(provider.base64url(b"\xff\xfe"), "__4")


class PayloadTests(unittest.TestCase):
    def test_a_payload_is_as_long_as_asked_for_and_json(self):
        for size in [400, 4000]:
            payload = figures_engine.payload(size)
            self.assertEqual(len(payload), size)
            self.assertIn("aps", json.loads(payload))

    def test_a_line_of_the_ledger_gives_its_payload(self):
        line = json.dumps({"payload": base64.b64encode(b"{}").decode()})
        self.assertEqual(probe.ledger_payload(line), b"{}")
        with self.assertRaises(BenchFailure):
            probe.ledger_payload("{}")


class KernelTests(unittest.TestCase):
    def test_memory_is_read_in_bytes(self):
        self.assertEqual(usage.status_field("Name:\tx\nVmHWM:\t   12 kB\n", "VmHWM"), 12288)
        with self.assertRaises(BenchFailure):
            usage.status_field("Name:\tx\n", "VmHWM")

    def test_idle_time_is_not_busy_time(self):
        line = "cpu  100 100 100 9999 9999 100 100 100 0 0"
        self.assertEqual(usage.busy_time(line), 600 / os.sysconf("SC_CLK_TCK"))

    def test_the_cpu_time_of_another_process_is_read(self):
        # It says when it has used a tenth of a second, and then waits.
        program = "import time\nwhile time.process_time() < 0.1: pass\nprint(flush=True); input()"
        with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            self.assertGreaterEqual(usage.processor_time(child.pid), 0.1)
            self.assertLess(usage.processor_time(child.pid), 60)
            child.communicate(b"\n")

    def test_a_version_is_found_in_what_a_tool_says(self):
        self.assertEqual(version_in("nginx version: nginx/1.22.1"), "1.22.1")
        self.assertEqual(version_in("h2load nghttp2/1.52.0"), "1.52.0")
        self.assertEqual(version_in("what?"), "unknown")

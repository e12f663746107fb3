import unittest

from bench import figures_scale
from bench.failure import BenchFailure
from bench.figures_scale import _InBackground
from bench.played_devices import PlayedDevices


class BackgroundTests(unittest.TestCase):
    def test_the_end_of_the_statement_waits_for_the_result(self):
        with _InBackground(lambda: 42) as background:
            pass
        self.assertEqual(background.result, 42)
        self.assertFalse(background.is_running)

    def test_a_failure_in_the_background_comes_out(self):
        def fails():
            raise BenchFailure("no")
        with self.assertRaises(BenchFailure):
            with _InBackground(fails):
                pass


class BoundTests(unittest.TestCase):
    def test_the_streams_allow_as_many_pushes_a_second_whatever_the_latency(self):
        for latency in (figures_scale.LATENCY, figures_scale.SHORT_LATENCY):
            limit = figures_scale.bounded(latency)["script"]["stream_limit"]["usual"]
            self.assertEqual(limit * figures_scale.CONNECTIONS * 1000 // latency, figures_scale.BOUND)


class PlayedDeviceTests(unittest.TestCase):
    def test_devices_are_named_as_the_load_test_names_them(self):
        self.assertEqual(PlayedDevices.insider_id(7), "load-1-00000007")

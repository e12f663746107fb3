import unittest
import xml.etree.ElementTree as ET

from bench import figures_size, plot, profile
from bench.failure import BenchFailure
from bench.figures_size import Cost


class PlotTests(unittest.TestCase):
    COSTS = [Cost(1, 50, 0.5, 120.0, 40.0, 12.0, 900.0), Cost(1000, 10, 3.0, 900.0, 200.0, 40.0, 800.0)]

    def test_the_picture_is_whole_and_has_a_point_for_each_size_and_line(self):
        panels = figures_size.panels(self.COSTS, self.COSTS)
        tree = ET.fromstring(plot.svg(panels))
        circles = tree.findall(".//{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 2 * sum(len(each.lines) for each in panels))
        for circle in circles:
            self.assertTrue(0 <= float(circle.get("cx")) <= float(tree.get("width")))
            self.assertTrue(0 <= float(circle.get("cy")) <= float(tree.get("height")))

    def test_axes_have_whole_decades_around_all_values(self):
        self.assertEqual(plot.decades([0.3, 20]), [-1, 0, 1, 2])
        self.assertEqual(plot.decades([10, 100]), [1, 2])
        self.assertEqual(plot.decades([10]), [1, 2])
        self.assertEqual([plot.label(each) for each in (-2, 0, 4)], ["0.01", "1", "10,000"])

    def test_the_table_has_a_line_for_each_size(self):
        lines = figures_size.table(self.COSTS, "devices").splitlines()
        self.assertEqual(len(lines), 3)
        self.assertIn("0.90", lines[2])


class ProfileTests(unittest.TestCase):
    LINES = """NIO-ELT-0-#1
            ffff800 tcp_sendmsg ([kernel.kallsyms])
            55d0 $s8NIOPosix6SocketC5write ( /x/fanfare)

fanfare-io
            7f0 swift_retain (/usr/lib/swift/linux/libswiftCore.so)
            55d $s11RedisClient0A10ConnectionC4send (/x/fanfare)

fanfare-io
            55d $s9Encodings9JSONValueV4read (/x/fanfare)

fanfare-io
            55e main (/x/fanfare)
""".splitlines()

    def test_the_runtimes_time_is_that_of_who_called_it(self):
        found = profile.shares(self.LINES)
        self.assertEqual(found["kernel"].total, 0.25)
        self.assertEqual((found["redis"].total, found["redis"].runtime), (0.25, 0.25))
        self.assertEqual((found["json"].total, found["json"].runtime), (0.25, 0))
        self.assertEqual(found["other"].total, 0.25)
        self.assertIn("100.0", profile.table(found, 40).splitlines()[-1])

    def test_no_samples_are_a_failure(self):
        with self.assertRaises(BenchFailure):
            profile.shares([])

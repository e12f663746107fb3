import unittest

from store_scripts import constants
from store_scripts.malformed import Malformed

TABLE = """
enum ScriptConstants {
    enum STATUS {
        /// A comment.
        static let startFailed = Status.first + Kind.second.rawValue
        static let byName = Outer.State.running.rawValue
    }

    enum SET {
        static let few: Set = [Route.two.rawValue]
        static let pattern = "[^\\(byte(STATUS.startFailed - 1))]"
    }

    typealias LIMIT = Limits
}
"""
SOURCES = """
public enum Status {
    public static let first: UInt8 = 0x10
    static func first(_ x: Int) -> Int { 3 }
}
enum Kind: UInt8, Sendable {
    case first = 1  // case second = 9
    case second
    var other: Int {
        switch self {
        case second: 7
        }
    }
}
struct Outer {
    enum State: String { case ready, running }
}
struct Route { static let two = Route(rawValue: 2) }
enum Limits {
    enum Inner {
        static let most = 1
    }
    static let long = 2 * most
    static let most = 1_000
    static let time = Outer.time.millisecondsRoundedUp
    static let list = [
        1, 2_0,
    ]
}
extension Outer { static let time = TimeInterval.seconds(2 * 60) }
"""


class ConstantTests(unittest.TestCase):
    def test_values_come_from_the_declarations(self):
        values, paths = constants.all_of(constants.Sources([TABLE, SOURCES]))
        self.assertEqual({
            "STATUS.start_failed": "18", "STATUS_BYTE.start_failed": "'\\018'", "STATUS.by_name": "'running'",
            "SET.few": "{[2]=true}", "SET.pattern": "'[^\\017]'", "LIMIT.long": "2000", "LIMIT.most": "1000",
            "LIMIT.time": "120000", "LIMIT.list": "{1,20}",
        }, values)
        self.assertEqual("STATUS.startFailed", paths["STATUS.start_failed"])
        self.assertNotIn("STATUS_BYTE.start_failed", paths)

    def test_what_is_not_declared_or_not_simple_is_a_mistake(self):
        for value in ("Status.last", "Kind.second.name()", "Nothing.first", "a ? b : c"):
            table = f"enum ScriptConstants {{\n    enum GROUP {{\n        static let one = {value}\n    }}\n}}\n"
            with self.subTest(value=value):
                self.assertRaises(Malformed, constants.all_of, constants.Sources([table, SOURCES]))

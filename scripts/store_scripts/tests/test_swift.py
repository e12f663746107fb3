import unittest

from store_scripts import embedded, heads, swift, texts
from store_scripts.malformed import Malformed


def lines(head):
    """The Swift code of a script, without indentation and line breaks."""
    return " ".join(swift.feature([heads.LuaFile(head)]).split())


HEAD = "-- put-one (writes)\n--\n-- Does it. Well.\n--\n-- KEYS\n--   user_id\n--   note?\n-- ARGV\n--   index\n"


class FunctionTests(unittest.TestCase):
    def test_a_script_has_a_function_with_named_parameters_and_a_typed_reply(self):
        found = lines(HEAD + "--   fields...(2)\n-- Reply: {state: text, left: int?, old_ids: [bytes]?, at: int?}?\n")
        for part in (
                "/// Does it. static func putOne(", "userID: String, note: String? = nil, index: some "
                "RedisArgumentConvertible, fields: [any RedisArgumentConvertible] ) -> ScriptCall<PutOneReply?>",
                "ScriptCall(putOneScript, [userID] + [note].compactMap(\\.self), [index] + fields, "
                "read: ScriptReply.optional(PutOneReply.read))",
                "keys: .init(required: 1, optional: 1), arguments: .init(required: 1, group: 2)",
                "let state: String let left: Int? let oldIDs: [[UInt8]]? let at: Int?",
                "guard parts.count >= 1, let state = ScriptReply.text(parts[0]), let left = ScriptReply.last(parts, 1, "
                "ScriptReply.int), let oldIDs = ScriptReply.last(parts, 2, ScriptReply.array(ScriptReply.bytes))"):
            self.assertIn(part, found)

    def test_an_optional_member_in_front_of_a_needed_one_is_there(self):
        self.assertIn("guard parts.count >= 2, let a = ScriptReply.optional(ScriptReply.int)(parts[0]), let b",
                      lines(HEAD + "-- Reply: {a: int?, b: int}\n"))

    def test_one_of_several_replies_is_an_enum(self):
        found = lines(HEAD + "-- Reply: one of\n--   done = 1 {at: int}: well\n--   refused = 0\n")
        for part in ("enum PutOneReply { case done(at: Int) case refused", "case 0: return .refused",
                     "case 1: guard parts.count >= 2, let at = ScriptReply.int(parts[1])"):
            self.assertIn(part, found)

    def test_keys_may_be_written_once(self):
        found = lines(HEAD + "-- Reply: {a: int}\n-- Call: keys once\n")
        for part in (
                "/// Does it. struct PutOne { private let head: RedisScriptCall",
                "init(userID: String, note: String? = nil) { var hint = 16 hint += userID.redisByteCountHint "
                "hint += note?.redisByteCountHint ?? 0 let count = 1 + (note == nil ? 0 : 1) "
                "var call = RedisScriptCall(putOneScript, keyCount: count, byteCountHint: hint) call.append(userID) "
                "if let note { call.append(note) } head = call }",
                "func command(index: some RedisArgumentConvertible) -> RedisCommand { var hint = 8",
                "var call = RedisScriptCall(copying: head, byteCountHint: hint) call.append(index) "
                "return (consume call).finish()",
                "static func read(_ reply: RedisReplyView) -> Self?"):
            self.assertIn(part, found)
        self.assertRaises(Malformed, lines, HEAD + "--   rest...\n-- Reply: int\n-- Call: keys once\n")

    def test_values_may_be_appended_one_by_one(self):
        found = lines(HEAD + "--   rest...\n-- Reply: int\n-- Call: appended\n")
        for part in ("hint += rest.reduce(0) { $0 + $1.redisByteCountHint + 8 } var call",
                     "call.append(index) for value in rest { call.append(value) } "
                     "return ScriptCall(putOneScript, (consume call).finish(), read: ScriptReply.int)"):
            self.assertIn(part, found)
        self.assertRaises(Malformed, lines, HEAD + "-- Reply: int\n-- Call: loudly\n")

    def test_tails_may_be_encoded(self):
        found = lines(HEAD.replace("note?", "others...") + "--   rest...\n-- Reply: int\n-- Call: encoded\n")
        for part in ("others: [RedisArguments.Part], index", "rest: [RedisArguments.Part] )",
                     "keyCount: 1 + others.argumentCount", "call.append(others) call.append(index) call.append(rest)"):
            self.assertIn(part, found)

    def test_the_package_gets_the_features(self):
        self.assertEqual('a\nlet storeFeatures = [\n    "One", "Two",\n]\nb\n]\n', swift.with_features(
            'a\nlet storeFeatures = [\n    "Old",\n]\nb\n]\n', ["One", "Two"]))


class EmbeddingTests(unittest.TestCase):
    def test_parts_are_written_once_and_text_is_escaped(self):
        files = texts.by_name([
            "-- part (part)\nlocal a = \"\\n\"", "-- one (reads)\n-- Includes: part\nreturn '??='",
            "-- two (reads)\n-- Includes: part\nreturn 2"])
        found = embedded.source([files["one"], files["two"]], files, {})
        self.assertEqual(1, found.count("local a"))
        for part in ('#define PART_part \\\n    "local a = \\"\\\\n\\"\\n"\n',
                     'return\n        PART_part\n        "return \'?""?=\'\\n";',
                     '        PART_part\n        "return 2\\n";'):
            self.assertIn(part, found)
        self.assertIn("const char *store_script_two(void);", embedded.header([files["two"]]))

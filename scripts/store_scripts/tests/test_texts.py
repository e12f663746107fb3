import unittest

from store_scripts import heads, texts
from store_scripts.malformed import Malformed

HEAD = "-- one (writes)\n--\n-- Does it.\n--\n"
CONSTANTS = {"STATUS.ended": "16", "ACTIVITY.dead": "'2'", "STATUS_BYTE.start_failed": "'\\004'"}


def text(*given):
    files = texts.by_name(given)
    return texts.text(files["one"], files, CONSTANTS)


class TextTests(unittest.TestCase):
    def test_keys_and_arguments_become_names_and_tails_their_places_and_unused_ones_do_not(self):
        found = text(HEAD + """\
-- KEYS
--   page
--   unused: by this code
--   note?
-- ARGV
--   index: in the page,
--       from 0 on
--   fields...(2)
-- Reply: flag

redis.call('HSET', page, index, ARGV[fields_at], note)
""")
        self.assertEqual("""\
local page, note = KEYS[1], KEYS[3]
local index, fields_at = ARGV[1], 2
redis.call('HSET', page, index, ARGV[fields_at], note)
""", found)

    def test_an_included_part_stands_in_front_of_its_users_once_and_behind_what_it_includes(self):
        found = text("-- b (part)\n-- Includes: a\nlocal function b() return a() end",
                     "-- a (part)\nlocal function a() end",
                     HEAD + "-- KEYS\n--   key\n-- Includes: b, a\nreturn b(key)")
        self.assertEqual("local function a() end\nlocal function b() return a() end\n"
                         "local key = KEYS[1]\nreturn b(key)\n", found)

    def test_parts_that_include_each_other_end(self):
        self.assertEqual("b\na\nreturn 1\n", text(
            "-- a (part)\n-- Includes: b\na", "-- b (part)\n-- Includes: a\nb", HEAD + "-- Includes: a\nreturn 1"))

    def test_constants_become_values_outside_of_strings_and_comments_and_blank_lines_vanish(self):
        found = text(HEAD + """\
-- KEYS
--   key
return 'STATUS.ended -- \\' ' .. key..STATUS.ended -- STATUS.ended

    == ACTIVITY.dead, STATUS_BYTE.start_failed
""")
        self.assertEqual("""\
local key = KEYS[1]
return 'STATUS.ended -- \\' ' .. key..16
    == '2', '\\004'
""", found)

    def test_a_mistake_names_its_file(self):
        for mistake, mention in (
                ("return STATUS.unheard_of", "STATUS.unheard_of"), ("-- KEYS\n--   a-b\n", "a-b"),
                ("-- ARGV\n--   tail...\n--   more\n", "more"), ("-- ARGV\n--   may?\n--   must\n", "must"),
                ("-- ARGV\n--   tail...(0)\n", "tail"), ("-- Includes: nothing\n", "nothing"),
                ("-- Includes: one\n", "one"), ("-- Reply: {a: int, b}\n", "{a: int, b}")):
            with self.assertRaisesRegex(Malformed, "^one\\b") as raised:
                text(HEAD + mistake)
            self.assertIn(mention, str(raised.exception))

    def test_a_file_without_a_title_and_two_of_one_name_are_mistakes(self):
        for given in (["return 1"], ["-- one (eats)\n"], [HEAD, HEAD], [""]):
            self.assertRaises(Malformed, texts.by_name, given)


class HeadTests(unittest.TestCase):
    def test_the_purpose_is_the_first_sentence(self):
        file = heads.LuaFile("-- one (reads)\n--\n-- Does it,\n-- see a.b. More.\n")
        self.assertEqual("Does it, see a.b.", file.purpose)

import unittest

from store_scripts import checks, texts
from store_scripts.malformed import Malformed

HEAD = "-- put-one (writes)\n--\n-- Does it.\n--\n-- KEYS\n--   key\n-- Reply: int\n"
CODE = "return redis.call('SET', key, 1)\n"


def check(*given):
    files = texts.by_name(given)
    checks.check(files, lambda script: texts.text(script, files, {}))


class CheckTests(unittest.TestCase):
    def test_a_plain_script_passes(self):
        check(HEAD + CODE)
        check(HEAD.replace("put-one (writes)", "has-one (reads)") + CODE.replace("SET", "GET"))

    def test_each_rule_is_held(self):
        for given in (
                [HEAD + "return 1"], [HEAD + CODE.replace("'SET'", "name")],
                [HEAD + CODE.replace("SET", "GET")], [HEAD.replace("writes", "reads") + CODE],
                [HEAD.replace("put", "find") + CODE], [HEAD.replace("-- Does it.\n", "") + CODE],
                [HEAD.replace("-- Reply: int\n", "") + CODE], [HEAD.replace("-- KEYS\n--   key\n", "") + CODE],
                [HEAD + CODE.replace("key", "KEYS[1]")], [HEAD + CODE + "if status == 3 then return 1 end\n"],
                [HEAD + CODE, "-- alone (part)\nlocal function alone() end\n"]):
            with self.subTest(given=given):
                self.assertRaises(Malformed, check, *given)

    def test_each_script_has_a_caller(self):
        scripts = texts.by_name([HEAD + CODE]).values()
        for source in ("try await run(Scripts.putOne(key: key))", "head = Scripts.PutOne(\n    key: key)"):
            checks.check_callers(scripts, ["", source])
        for source in ("Scripts.putOneScript", "Scripts.putOneAgain()", "MockScripts.putOne()"):
            self.assertRaises(Malformed, checks.check_callers, scripts, [source])

    def test_commands_of_parts_and_of_a_local_call_count(self):
        self.assertEqual({"GET", "XADD"}, checks.commands("call('GET', k) redis.pcall(\n  'XADD', k)", "one"))

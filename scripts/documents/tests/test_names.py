import unittest

from documents import ROOT, names
from documents.markdown import Document


class NameTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = names.Names(ROOT)

    def findings(self, text):
        return [sentence for _, sentence in self.names.findings(Document(text), ROOT)]

    def test_what_is_there_is_right(self):
        self.assertEqual(self.findings(
            "`http.port` `FANFARE_HTTP_PORT` `fanfare_redis_up` `409 ALREADY_STARTED` `GatewayStore` `docs/api.md` "
            "`POST /api/v1/live-activity/start` `README.md`"), [])

    def test_what_is_not_there_is_found(self):
        for text in ("http.prot", "FANFARE_HTTP_PROT", "fanfare_redis_down", "409 ALREADY_GONE", "GatewayShop",
                     "docs/gone.md", "GET /api/v1/live-activity/stop", "PushClient.coffeeMachine"):
            self.assertEqual(len(self.findings(f"`{text}`")), 1, text)

    def test_names_in_the_last_column_of_the_glossary_are_looked_up(self):
        table = "| word | means | in the code |\n|---|---|---|\n| a | b | `Roster` |\n| c | `d` | `NoSuchThing` |\n"
        self.assertEqual(
            list(names.glossary_findings(Document(table), self.names)), [(4, "the code has no NoSuchThing")])

    def test_keys_are_read_whether_commented_out_or_not(self):
        self.assertEqual(names.keys_of("http:\n  # The port.\n  #port: 1\n  host: a\n"), {"http", "http.port", "http.host"})

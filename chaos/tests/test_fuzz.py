import json
import random
import unittest

from attack.wire import Answer, AnswerReader
from fuzz import mutations, transport
from fuzz.cases import Cases
from fuzz.description import Description
from fuzz.values import Maker, Pairs, Raw, rendered
from fuzz.verdict import complaints

_DOCUMENT = {
    "paths": {"/a/{name}": {
        "parameters": [{"in": "path", "name": "name", "schema": {"type": "string"}, "required": True}],
        "put": {"security": [{"ApiKey": []}], "responses": {"200": {}, "404": {}, "default": {}},
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}}}}},
    "components": {"schemas": {
        "InsiderId": {"type": "string"},
        "Body": {
            "type": "object", "required": ["insider_id", "count", "kinds"], "properties": {
                "insider_id": {"$ref": "#/components/schemas/InsiderId"},
                "count": {"type": "integer", "minimum": 3, "maximum": 5},
                "kinds": {"type": "array", "minItems": 2, "items": {"enum": ["x", "y"]}},
                "name": {"type": "string"}}}}}}
_KNOWN = {"insider_id": ["ann"], "udid": ["phone"], "activity_id": ["id"]}


class DescriptionTests(unittest.TestCase):
    def test_an_operation_has_parameters_body_statuses_and_key(self):
        operation = Description(_DOCUMENT).operations[0]
        self.assertEqual(("PUT", "/a/{name}", frozenset((200, 404)), "api"),
                         (operation.method, operation.path, operation.statuses, operation.key))
        self.assertEqual([("path", "name")], [each[:2] for each in operation.parameters])

    def test_a_value_is_one_that_its_schema_allows(self):
        description = Description(_DOCUMENT)
        for seed in range(50):
            maker = Maker(description, random.Random(seed), _KNOWN)
            value = dict(maker.of({"$ref": "#/components/schemas/Body"}))
            self.assertIn(value["count"], (3, 4, 5))
            self.assertTrue(len(value["kinds"]) >= 2 and set(value["kinds"]) <= {"x", "y"})
            self.assertIsInstance(value["insider_id"], str)
            self.assertIsInstance(value.get("name"), str | None)


class MutationTests(unittest.TestCase):
    def test_what_is_not_spoilt_is_json(self):
        value = Pairs([("a", [1, 2.5, None, True, "é\"\n"]), ("b", Pairs())])
        for seed in range(20):
            self.assertEqual({"a": [1, 2.5, None, True, "é\"\n"], "b": {}}, json.loads(rendered(value, random.Random(seed))))
        self.assertEqual(b'{"a":1e999,"a":1}', rendered(Pairs([("a", Raw(b"1e999")), ("a", 1)])))

    def test_every_node_can_be_reached_and_changed_alone(self):
        value = Pairs([("a", [1, Pairs([("b", 2)])]), ("c", 3)])
        paths = list(mutations.places(value))
        self.assertEqual(6, len(paths))
        changed = mutations.changed(value, (0, 1, 0), lambda _: "new")
        self.assertEqual({"a": [1, {"b": "new"}], "c": 3}, json.loads(rendered(changed)))
        self.assertEqual({"a": [1, {"b": 2}], "c": 3}, json.loads(rendered(value)))

    def test_a_spoilt_value_is_another_one_nearly_always(self):
        value = Pairs([("a", "x"), ("b", [1, 2]), ("c", Pairs([("d", True)]))])
        whole = rendered(value)
        same = sum(rendered(mutations.spoilt(value, random.Random(seed))) == whole for seed in range(300))
        self.assertLess(same, 60)


class TransportTests(unittest.TestCase):
    REQUEST = b"PUT /a HTTP/1.1\r\nHost: f\r\nContent-Length: 7\r\n\r\n{\"a\":1}"

    def test_a_request_that_is_split_is_the_same(self):
        for seed in range(100):
            self.assertEqual(self.REQUEST, b"".join(transport.split(self.REQUEST, random.Random(seed))))

    def test_chunks_hold_the_body(self):
        for seed in range(100):
            data = transport.with_chunks(self.REQUEST, random.Random(seed))
            head, _, body = data.partition(b"\r\n\r\n")
            self.assertNotIn(b"Content-Length", head)
            # Read as the chunks of an answer, which have the same form; what trails is no part of them.
            if b"X-Trailer" not in body:
                answer = AnswerReader().feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
                self.assertEqual([b'{"a":1}'], [each.body for each in answer])

    def test_a_right_case_is_right_and_all_kinds_come(self):
        kinds = {}
        for seed in range(300):
            kind, steps, is_right = transport.case([self.REQUEST, self.REQUEST], random.Random(seed))
            kinds[kind] = is_right
            data = b"".join(step for step in steps if isinstance(step, bytes))
            if is_right and kind in ("split", "slow"):
                self.assertEqual(self.REQUEST, data)
            if kind == "pipelined":
                self.assertEqual(self.REQUEST * 2, data)
        self.assertEqual({"split": True, "pipelined": True, "chunked": True, "slow": True, "truncated": False, "reset": False, "spoilt": False,
                          "spoilt chunks": False, "trailing": False}, kinds)


class CaseTests(unittest.TestCase):
    def test_a_seed_and_a_number_give_the_same_bytes(self):
        keys = {"api_key": "k", "sdk_key": "s"}
        one, other, third = (Cases(seed, Description(_DOCUMENT), keys) for seed in ("1", "1", "2"))
        for number in range(200):
            self.assertEqual(one.case(number, _KNOWN).steps, other.case(number, _KNOWN).steps)
        self.assertNotEqual([one.case(n, _KNOWN).steps for n in range(20)], [third.case(n, _KNOWN).steps for n in range(20)])

    def test_a_request_has_one_head(self):
        cases = Cases("3", Description(_DOCUMENT), {"api_key": "k", "sdk_key": "s"})
        for number in range(500):
            case = cases.case(number, _KNOWN)
            if case.kind == "request":
                head = case.steps[0].partition(b"\r\n\r\n")[0].decode("latin-1")
                self.assertEqual(1, head.count("HTTP/1.1\r\n"))
                self.assertTrue(all(": " in line for line in head.split("\r\n")[1:]), head)


class VerdictTests(unittest.TestCase):
    def _complaints(self, status, body, head=b"\r\nX-Request-Id: 1\r\nContent-Type: application/json\r\n", **options):
        return list(complaints(Answer(status, b"HTTP/1.1 %d" % status + head, body), [b"SECRET"], **options))

    def test_a_good_answer_is_good(self):
        self.assertEqual([], self._complaints(200, b"{}"))
        self.assertEqual([], self._complaints(400, b'{"error":"e","code":"C"}'))
        self.assertEqual([], self._complaints(404, b"", method="HEAD"))

    def test_what_a_gateway_may_not_answer_is_told(self):
        self.assertIn("500", self._complaints(500, b'{"error":"e","code":"C"}')[0])
        self.assertIn("503", self._complaints(503, b'{"error":"e","code":"C"}')[0])
        self.assertIn("come again", self._complaints(503, b'{"error":"e","code":"OVERLOADED"}')[0])
        self.assertIn("error and code", self._complaints(400, b"")[0])
        self.assertIn("X-Request-Id", self._complaints(200, b"{}", head=b"\r\nContent-Type: application/json\r\n")[0])
        self.assertIn("no JSON", self._complaints(200, b"{")[0])
        self.assertIn("another tenant's", self._complaints(200, b'{"a":"SECRET"}')[0])

    def test_a_status_that_the_description_does_not_name_is_told(self):
        operation = Description(_DOCUMENT).operations[0]
        self.assertIn("may answer 201", self._complaints(201, b"{}", operation=operation)[0])

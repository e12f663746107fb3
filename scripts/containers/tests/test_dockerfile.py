import unittest

from .. import compose, dockerfile

TEXT = r"""
# A comment.
FROM swift:6 AS build
RUN one \
    && two
FROM debian:slim
ENV A=1 B="2 3"
COPY --from=build /a /b/
RUN three
USER 7:8
WORKDIR /home
EXPOSE 80 81
HEALTHCHECK --interval=5s CMD ["ask", \
    "it"]
ENTRYPOINT ["/bin/program"]
CMD ["serve"]
"""


class Stages(unittest.TestCase):
    def test_are_read_with_all_their_instructions(self):
        build, last = dockerfile.stages(TEXT)
        self.assertEqual((build.base, build.name, build.steps), ("swift:6", "build", [("RUN", "one && two")]))
        self.assertEqual((last.base, last.name), ("debian:slim", ""))
        self.assertEqual(last.steps, [("COPY", "--from=build /a /b/"), ("RUN", "three")])
        self.assertEqual(last.environment, {"A": "1", "B": "2 3"})
        self.assertEqual((last.user, last.folder, last.settings), ("7:8", "/home", {"EXPOSE": "80 81"}))
        self.assertEqual((last.entrypoint, last.command), (["/bin/program"], ["serve"]))
        self.assertEqual(last.health, ["ask", "it"])

    def test_an_instruction_that_is_not_known_is_not_passed_over(self):
        with self.assertRaises(dockerfile.Unknown):
            dockerfile.stages("FROM a\nONBUILD RUN b\n")


class Services(unittest.TestCase):
    stage = dockerfile.stages(TEXT)[1]

    def test_run_the_images_words_unless_they_have_their_own(self):
        for service, expected in [
            ({"image": "fanfare"}, ["/bin/program", "serve"]),
            ({"image": "fanfare", "command": ["other"]}, ["/bin/program", "other"]),
            ({"image": "redis:7", "command": ["other"]}, ["other"]),
            ({"image": "fanfare", "entrypoint": ["sh"]}, ["sh"]),
            ({"image": "fanfare", "entrypoint": ["sh", "$$@"], "command": ["x"]}, ["sh", "$@", "x"]),
        ]:
            self.assertEqual(compose.words(service, self.stage), expected)

    def test_are_as_healthy_as_their_own_check_says_or_the_images(self):
        self.assertEqual(compose.health({}, self.stage), ["ask", "it"])
        self.assertEqual(compose.health({"healthcheck": {"test": ["CMD", "other"]}}, self.stage), ["other"])

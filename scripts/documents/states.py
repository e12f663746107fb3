"""State diagrams from text.

A `.states` file has a line for each thing; empty lines and lines that begin with # are passed over:

    title What the picture shows
    state NAME COLUMN ROW Note below the name
    final NAME COLUMN ROW Note
    start NAME
    NAME -> OTHER: what leads from one to the other

Places are columns and rows of a grid, and may be fractions. A note or a label is broken at ` / `. Each further `>` bends an
arrow to the left of its direction, where it would lie on something else.
"""
import math
import re

from . import svg

COLUMN, ROW = 250, 130
MARGIN_X, MARGIN_Y = 140, 66
BOX_WIDTH, LINE_HEIGHT = 168, 15
STATE, FINAL = "#e4f0fb", "#eceff3"
BEND = 46


class DiagramError(Exception):
    """The text is none that can be drawn."""


class State:
    def __init__(self, name, column, row, note, is_final):
        self.name, self.is_final = name, is_final
        self.note = note.split(" / ") if note else []
        self.x, self.y = MARGIN_X + column * COLUMN, MARGIN_Y + row * ROW
        self.width = BOX_WIDTH
        self.height = 28 + LINE_HEIGHT * len(self.note)

    def edge_towards(self, x, y, gap=0):
        """Where the line from the middle to a place leaves the box."""
        dx, dy = x - self.x, y - self.y
        half_width, half_height = self.width / 2 + gap, self.height / 2 + gap
        scale = min(half_width / abs(dx) if dx else math.inf, half_height / abs(dy) if dy else math.inf)
        return self.x + dx * scale, self.y + dy * scale


class Diagram:
    def __init__(self, text):
        self.title, self.first, self.states, self.arrows = "", None, {}, []
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                self._take(line, number)
        for here, there, _, _ in self.arrows:
            for name in (here, there):
                if name not in self.states:
                    raise DiagramError(f"there is no state {name}")

    def _take(self, line, number):
        if match := re.fullmatch(r"title (.+)", line):
            self.title = match[1]
        elif match := re.fullmatch(r"(state|final) (\S+) ([\d.]+) ([\d.]+)(?: (.+))?", line):
            kind, name, column, row, note = match.groups()
            self.states[name] = State(name, float(column), float(row), note, kind == "final")
        elif match := re.fullmatch(r"start (\S+)", line):
            self.first = match[1]
        elif match := re.fullmatch(r"(\S+) (->+) (\S+): (.+)", line):
            here, arrow, there, label = match.groups()
            self.arrows.append((here, there, label.split(" / "), len(arrow) - 2))
        else:
            raise DiagramError(f"line {number} is not understood: {line}")

    def svg(self, source):
        lines, labels, boxes = [], [], []
        for here, there, label, bends in self.arrows:
            line, spot = self._arrow(self.states[here], self.states[there], bends)
            lines.append(line)
            labels += self._label(spot, label)
        for state in self.states.values():
            boxes += self._box(state)
        if self.first:
            state = self.states[self.first]
            left = state.x - state.width / 2
            boxes.append(f'<circle cx="{svg.number(left - 38)}" cy="{svg.number(state.y)}" r="6" fill="{svg.INK}"/>')
            boxes.append(svg.path(["M", left - 32, state.y, "L", left - 2, state.y]))
        width = max(state.x for state in self.states.values()) + MARGIN_X
        height = max(state.y + state.height / 2 for state in self.states.values()) + 26
        return svg.page(width, height, self.title, source, lines + labels + boxes)

    @staticmethod
    def _arrow(here, there, bends):
        """The line, and the place of its label."""
        if here is there:
            top, left, right = here.y - here.height / 2, here.x - 26, here.x + 26
            return svg.path(["M", left, top, "C", left - 8, top - 40, right + 8, top - 40, right, top - 2]), (
                here.x, top - 36)
        dx, dy = there.x - here.x, there.y - here.y
        length = math.hypot(dx, dy)
        bend = BEND * bends
        # To the left of the direction, as the page is seen.
        middle = (here.x + dx / 2 + dy / length * bend, here.y + dy / 2 - dx / length * bend)
        begin, end = here.edge_towards(*middle), there.edge_towards(*middle, gap=2)
        control = (2 * middle[0] - (begin[0] + end[0]) / 2, 2 * middle[1] - (begin[1] + end[1]) / 2)
        spot = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
        if bends:
            spot = middle
            return svg.path(["M", *begin, "Q", *control, *end]), spot
        return svg.path(["M", *begin, "L", *end]), spot

    @staticmethod
    def _label(spot, words):
        x, y = spot
        widest = max(svg.width_of(each, 12) for each in words)
        height = LINE_HEIGHT * len(words)
        parts = [f'<rect x="{svg.number(x - widest / 2 - 3)}" y="{svg.number(y - height / 2 - 2)}" '
                 f'width="{svg.number(widest + 6)}" height="{svg.number(height + 4)}" fill="{svg.PAPER}"/>']
        for index, each in enumerate(words):
            parts.append(svg.text(x, y - height / 2 + 12 + index * LINE_HEIGHT, each, 12))
        return parts

    @staticmethod
    def _box(state):
        left, top = state.x - state.width / 2, state.y - state.height / 2
        fill = FINAL if state.is_final else STATE
        parts = [svg.box(left, top, state.width, state.height, fill)]
        if state.is_final:
            parts.append(svg.box(left + 3, top + 3, state.width - 6, state.height - 6, "none", radius=6))
        parts.append(svg.text(state.x, top + 20, state.name, 14, weight="bold"))
        for index, each in enumerate(state.note):
            parts.append(svg.text(state.x, top + 35 + index * LINE_HEIGHT, each, 11.5, color=svg.LINE))
        return parts

"""The picture of the package's targets: which one is built on which, as the manifest says.

A target stands one row above the highest of those that it depends on. An arrow that follows from others is left out, and
so are packages from elsewhere, tests and benchmarks. Between rows an arrow runs beside the boxes, not through them.
"""
from . import svg

BOX_HEIGHT, ROW, GAP, PAD, BEND, LANE = 26, 78, 16, 9, 30, 10
MARGIN = 24
C_FILL, PURE_FILL, OTHER_FILL, RUN_FILL = "#eceff3", "#e3f4e6", "#e4f0fb", "#fdf0d9"
SWEEPS = 24


def graph_of(package):
    """For each target of the product the targets that it is built on."""
    shown = {target["name"]: target for target in package["targets"]
             if target["type"] in ("regular", "executable", "system")
             and not (target.get("path") or "").startswith(("Tests/", "Benchmarks/"))}
    graph = {}
    for name, target in shown.items():
        named = [(each.get("byName") or each.get("target") or [None])[0] for each in target["dependencies"]]
        graph[name] = {each for each in named if each in shown}
    return graph


def below(graph):
    """For each target all that it is built on, whatever lies between."""
    known = {}

    def all_of(name):
        if name not in known:
            known[name] = set(graph[name]).union(*(all_of(each) for each in graph[name]))
        return known[name]

    for name in graph:
        all_of(name)
    return known


def reduced(graph):
    """Without the arrows that follow from others."""
    everything = below(graph)
    return {name: {each for each in others if not any(each in everything[other] for other in others)}
            for name, others in graph.items()}


def heights_of(graph):
    """The row of each target, 0 at the bottom."""
    heights = {}

    def height(name):
        if name not in heights:
            heights[name] = 1 + max((height(each) for each in graph[name]), default=-1)
        return heights[name]

    for name in graph:
        height(name)
    return heights


class Layout:
    """Rows of targets, with a place kept for each arrow that passes a row."""

    def __init__(self, graph):
        self.heights = heights_of(graph)
        self.rows = [[] for _ in range(max(self.heights.values()) + 1)]
        for name in sorted(graph):
            self.rows[self.heights[name]].append(name)
        self.chains, self.links = [], {}
        for name, others in sorted(reduced(graph).items()):
            for other in sorted(others):
                self._chain(name, other)
        self._order()
        self._place()

    def _chain(self, name, other):
        chain = [name]
        for row in range(self.heights[name] - 1, self.heights[other], -1):
            # Arrows to the same target run together.
            place = (other, row)
            if place not in self.rows[row]:
                self.rows[row].append(place)
            chain.append(place)
        chain.append(other)
        self.chains.append(chain)
        for above, under in zip(chain, chain[1:]):
            self.links.setdefault(above, set()).add(under)
            self.links.setdefault(under, set()).add(above)

    def _order(self):
        """Neighbours near each other: each row after the middle of what its places are linked with, to and fro."""
        best, fewest = [row[:] for row in self.rows], self._crossings()
        for sweep in range(SWEEPS):
            upwards = sweep % 2 == 0
            order = range(1, len(self.rows)) if upwards else range(len(self.rows) - 2, -1, -1)
            for index in order:
                beside = self.rows[index - 1 if upwards else index + 1]
                spots = {each: (spot + 0.5) / len(beside) for spot, each in enumerate(beside)}
                row = self.rows[index]

                def middle(each):
                    near = [spots[other] for other in self.links.get(each, ()) if other in spots]
                    return sum(near) / len(near) if near else (row.index(each) + 0.5) / len(row)

                self.rows[index] = sorted(row, key=lambda each: (round(middle(each), 6), str(each)))
            if (crossings := self._crossings()) < fewest:
                best, fewest = [row[:] for row in self.rows], crossings
        self.rows = best

    def _crossings(self):
        count = 0
        for lower, upper in zip(self.rows, self.rows[1:]):
            spots = {each: spot for spot, each in enumerate(lower)}
            lines = [(index, spots[other]) for index, each in enumerate(upper)
                     for other in self.links.get(each, ()) if other in spots]
            count += sum(1 for a, b in lines for c, d in lines if a < c and b > d)
        return count

    @staticmethod
    def width(place):
        return LANE if isinstance(place, tuple) else svg.width_of(place, 13) + 2 * PAD

    def _place(self):
        rows_width = [sum(self.width(each) for each in row) + GAP * (len(row) - 1) for row in self.rows]
        self.picture_width = max(rows_width) + 2 * MARGIN
        self.x = {}
        for row, width in zip(self.rows, rows_width):
            # A row that is shorter is spread, so that arrows run steeply.
            gap = GAP + (self.picture_width - 2 * MARGIN - width) / (len(row) + 1)
            x = MARGIN + (gap - GAP)
            for each in row:
                self.x[each] = x + self.width(each) / 2
                x += self.width(each) + gap
        self.picture_height = ROW * len(self.rows) + 2 * MARGIN - (ROW - BOX_HEIGHT) + 34

    def row_of(self, place):
        return place[1] if isinstance(place, tuple) else self.heights[place]

    def y(self, place):
        return MARGIN + BOX_HEIGHT / 2 + (len(self.rows) - 1 - self.row_of(place)) * ROW


def fill_of(name, everything):
    """C, then what is built on nothing that does I/O, then the rest, then what is run."""
    if name.startswith("C") and name[1:2].isupper():
        return C_FILL
    if name in PURE or name.endswith("Core"):
        return PURE_FILL
    return RUN_FILL if not any(name in others for others in everything.values()) else OTHER_FILL


#: Pure targets that are not named so.
PURE = {"APNsCore", "Delivery", "Encodings", "FlatMemory", "LiveActivity"}


def svg_of(package):
    graph = graph_of(package)
    layout, everything = Layout(graph), below(graph)
    lines, boxes = [], []
    for chain in layout.chains:
        commands = []
        for above, under in zip(chain, chain[1:]):
            begin = (layout.x[above], layout.y(above) + BOX_HEIGHT / 2)
            end = (layout.x[under], layout.y(under) - BOX_HEIGHT / 2)
            if not commands:
                commands += ["M", *begin]
            commands += ["C", begin[0], begin[1] + BEND, end[0], end[1] - BEND, *end]
            if isinstance(under, tuple):
                commands += ["L", end[0], end[1] + BOX_HEIGHT]
        lines.append(svg.path(commands, color=svg.FAINT))
    for name in sorted(graph):
        width = layout.width(name)
        x, y = layout.x[name], layout.y(name)
        boxes.append(svg.box(x - width / 2, y - BOX_HEIGHT / 2, width, BOX_HEIGHT, fill_of(name, everything), radius=5))
        boxes.append(svg.text(x, y + 4.5, name, 13))
    x = MARGIN
    for fill, words in ((C_FILL, "C"), (PURE_FILL, "pure: no clock, no I/O"), (OTHER_FILL, "the rest"), (RUN_FILL, "run")):
        y = layout.picture_height - MARGIN
        boxes.append(svg.box(x, y - 11, 16, 14, fill, radius=3))
        boxes.append(svg.text(x + 22, y, words, 12, anchor="start", color=svg.LINE))
        x += 48 + svg.width_of(words, 12)
    return svg.page(layout.picture_width, layout.picture_height, "The targets of Fanfare, and what each is built on",
                    "Package.swift", lines + boxes)

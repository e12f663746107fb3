"""The picture of the package's targets: which one is built on which, layer upon layer, as the manifest says.

A layer is a folder under Sources/. The manifest names them from the lowest to the highest. Within its layer a target
stands one row above the highest of those that it depends on. An arrow that follows from others is left out, and so are
packages from elsewhere, tests and benchmarks. Between rows an arrow runs beside the boxes, not through them.
"""
from . import svg

BOX_HEIGHT, ROW, GAP, PAD, BEND, LANE = 26, 66, 16, 9, 26, 10
#: Around the picture, between a band and its boxes, and what the names of layers take at the left.
MARGIN, BAND_PAD, NAMES = 12, 15, 92
BAND_FILL, BOX_FILL = "#eef3f8", "#ffffff"
SWEEPS = 24


def layers_of(package):
    """The targets of each layer, from the lowest to the highest."""
    layers = {}
    for target in package["targets"]:
        folders = (target.get("path") or "").split("/")
        if folders[0] == "Sources" and target["type"] != "test":
            layers.setdefault(folders[1], []).append(target["name"])
    return layers


def graph_of(package):
    """For each target of the product the targets that it is built on."""
    names = {name for names in layers_of(package).values() for name in names}
    shown = {target["name"]: target for target in package["targets"] if target["name"] in names}
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


def heights_of(graph, layers):
    """The row of each target, 0 at the bottom."""
    heights, floor = {}, 0

    def height(name, layer):
        if name not in heights:
            heights[name] = max((1 + height(each, layer) for each in graph[name] if each in layer), default=floor)
        return heights[name]

    for layer in layers.values():
        for name in layer:
            height(name, layer)
        floor = 1 + max(heights.values())
    return heights


class Layout:
    """Rows of targets, with a place kept for each arrow that passes a row."""

    def __init__(self, graph, layers):
        self.heights = heights_of(graph, layers)
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
        room = max(rows_width) + 2 * GAP
        self.picture_width = NAMES + room + 2 * MARGIN
        self.x = {}
        for row, width in zip(self.rows, rows_width):
            # A row that is shorter is spread, so that arrows run steeply.
            gap = GAP + (room - 2 * GAP - width) / (len(row) + 1)
            x = MARGIN + NAMES + gap
            for each in row:
                self.x[each] = x + self.width(each) / 2
                x += self.width(each) + gap
        self.picture_height = ROW * (len(self.rows) - 1) + BOX_HEIGHT + 2 * (MARGIN + BAND_PAD)

    def row_of(self, place):
        return place[1] if isinstance(place, tuple) else self.heights[place]

    def y(self, place):
        return MARGIN + BAND_PAD + BOX_HEIGHT / 2 + (len(self.rows) - 1 - self.row_of(place)) * ROW


def bands_of(layout, layers):
    """A band behind each layer, with its name."""
    for name, targets in layers.items():
        spots = [layout.y(each) for each in targets]
        top, bottom = min(spots) - BOX_HEIGHT / 2 - BAND_PAD, max(spots) + BOX_HEIGHT / 2 + BAND_PAD
        yield svg.box(MARGIN, top, layout.picture_width - 2 * MARGIN, bottom - top, BAND_FILL, stroke="none", radius=6)
        yield svg.text(MARGIN + 12, (top + bottom) / 2 + 5, name, 14, anchor="start", weight="bold")


def svg_of(package):
    graph, layers = graph_of(package), layers_of(package)
    layout = Layout(graph, layers)
    lines, boxes = list(bands_of(layout, layers)), []
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
        boxes.append(svg.box(x - width / 2, y - BOX_HEIGHT / 2, width, BOX_HEIGHT, BOX_FILL, radius=5))
        boxes.append(svg.text(x, y + 4.5, name, 13))
    return svg.page(layout.picture_width, layout.picture_height, "The targets of Fanfare, and what each is built on",
                    "Package.swift", lines + boxes)

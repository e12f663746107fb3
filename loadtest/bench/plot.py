"""Plots with two logarithmic axes, as SVG: a knee in a cost is a bend in its line."""

import math
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 420, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 34, 44
_COLOURS = ["#2563eb", "#d97706", "#059669", "#7c3aed", "#dc2626"]


@dataclass
class Panel:
    """One plot: lines of (x, y), both over 0."""

    title: str
    across: str
    lines: dict


def decades(values):
    """The powers of ten from at most the least to at least the most of these."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    high = max(low + 1, math.ceil(math.log10(max(values)) - 1e-9))
    return list(range(low, high + 1))


def label(power):
    return f"{10 ** power:,.0f}" if power >= 0 else f"{10.0 ** power:.{-power}f}"


def svg(panels, columns=2):
    """All panels side by side, so many in a row."""
    rows = -(-len(panels) // columns)
    parts = [_panel(panel, (number % columns) * _WIDTH, (number // columns) * _HEIGHT)
             for number, panel in enumerate(panels)]
    width, height = columns * _WIDTH, rows * _HEIGHT
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="11">\n'
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def _panel(panel, left, top):
    points = [point for line in panel.lines.values() for point in line]
    across, up = decades([x for x, _ in points]), decades([y for _, y in points])
    inner_width, inner_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at(x, y):
        return (left + _LEFT + (math.log10(x) - across[0]) / (across[-1] - across[0]) * inner_width,
                top + _TOP + (1 - (math.log10(y) - up[0]) / (up[-1] - up[0])) * inner_height)

    parts = [f'<text x="{left + _LEFT}" y="{top + 14}" font-size="12" font-weight="bold">{escape(panel.title)}</text>']
    for power in across:
        x, bottom = at(10.0 ** power, 10.0 ** up[0])
        _, head = at(10.0 ** power, 10.0 ** up[-1])
        parts.append(f'<path d="M{x:.1f} {head:.1f}V{bottom:.1f}" stroke="#e5e7eb"/>'
                     f'<text x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{label(power)}</text>')
    for power in up:
        x, y = at(10.0 ** across[0], 10.0 ** power)
        end, _ = at(10.0 ** across[-1], 10.0 ** power)
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{end:.1f}" stroke="#e5e7eb"/>'
                     f'<text x="{x - 4:.1f}" y="{y + 4:.1f}" text-anchor="end">{label(power)}</text>')
    parts.append(f'<text x="{left + _LEFT + inner_width / 2:.0f}" y="{top + _HEIGHT - 12}" text-anchor="middle">'
                 f'{escape(panel.across)}</text>')
    for number, (name, line) in enumerate(panel.lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [at(x, y) for x, y in line]
        parts.append(f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in places)}" fill="none" stroke="{colour}" '
                     'stroke-width="1.6"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in places]
        # The names of the lines stand under the title, one after the other.
        parts.append(f'<text x="{left + _LEFT + number * 118}" y="{top + 28}" fill="{colour}">{escape(name)}</text>')
    return "\n".join(parts)

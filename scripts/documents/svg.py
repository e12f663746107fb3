"""SVG from boxes, lines and text. The same input gives the same bytes."""
from xml.sax.saxutils import escape

INK, PAPER, LINE, FAINT = "#1f2933", "#ffffff", "#52606d", "#9aa5b1"
FONT = "font-family=\"Helvetica, Arial, sans-serif\""


def number(value):
    """A coordinate, without digits that nobody sees."""
    return f"{value:.1f}".removesuffix(".0")


def text(x, y, words, size=13, anchor="middle", weight="normal", color=INK):
    return (f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="{color}">{escape(words)}</text>')


def box(x, y, width, height, fill, stroke=LINE, radius=8):
    return (f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'rx="{radius}" fill="{fill}" stroke="{stroke}"/>')


def path(commands, arrow=True, color=LINE):
    """A line; `commands` are those of SVG's `d`, with numbers as numbers."""
    words = " ".join(each if isinstance(each, str) else number(each) for each in commands)
    return f'<path d="{words}" fill="none" stroke="{color}"{" marker-end=%s" % chr(34) + "url(#arrow)" + chr(34) if arrow else ""}/>'


def width_of(words, size=13):
    """About how wide a text is: letters of Helvetica have half the height on average."""
    return len(words) * size * 0.54


def page(width, height, title, source, parts):
    """A whole picture; `source` says where to change it."""
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" role="img" {FONT}>',
        f"<!-- Drawn from {source} by `make generate`. -->",
        f"<title>{escape(title)}</title>",
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto-start-reverse"><path d="M 0 0 L 10 5 L 0 10 z" fill="{LINE}"/></marker></defs>',
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
    ]
    return "\n".join(head + parts + ["</svg>"]) + "\n"

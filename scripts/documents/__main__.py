"""python3 -m documents draw | check [EXECUTABLE], in scripts/.

`draw` draws the pictures under docs/diagrams anew. `check` says what is wrong with the documents, and ends with 1 when
something is; with an executable it also looks up the commands and options that they name.
"""
import sys

from . import check, pictures, states


def main(arguments):
    if arguments == ["draw"]:
        pictures.draw()
        return 0
    if arguments[:1] == ["check"] and len(arguments) <= 2:
        found = list(check.findings(*arguments[1:]))
        print("\n".join(found) if found else f"{len(check.documents())} documents: links, commands and names are there")
        return 1 if found else 0
    print(__doc__.strip(), file=sys.stderr)
    return 64


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except states.DiagramError as error:
        sys.exit(f"documents: {error}")

"""Whether links lead somewhere."""
from .markdown import Document


def findings(path, document, root):
    """What is wrong with the links of a document: (line, sentence)."""
    for line, target in document.links:
        if target.startswith(("https://", "mailto:")):
            continue
        if ":" in target.split("/")[0]:
            yield line, f"{target} is neither a file nor an https address"
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or root not in [file, *file.parents]:
            yield line, f"there is no {target}"
        elif anchor and file.suffix == ".md":
            there = document if file == path else Document(file.read_text(encoding="utf-8"))
            if anchor not in there.anchors:
                yield line, f"{name or 'this document'} has no heading #{anchor}"

"""Each fence of C++ in a page is cut from a file that is compiled: check_snippets.py ROOT [--write] PAGE...

Before the fence stands `<!-- path [name] -->`, and in that file the same text between two lines `// [name]`. What is
indented in the file as a whole is not in the page; marker lines of other names within it are left out. --write renews
the fences instead of complaining.
"""
import re
import sys
import textwrap
from pathlib import Path

MARKER = re.compile(r"\s*// \[([a-z0-9_ ]+)\]\s*$")
SOURCE = re.compile(r"<!-- (\S+) \[([a-z0-9_ ]+)\] -->$")


def cut(text, name):
    """The lines between the two markers, or None when there are not two."""
    found, inside, closed = [], False, False
    for line in text.splitlines():
        marker = MARKER.match(line)
        if marker and marker.group(1) == name:
            closed, inside = inside, not inside
            if closed:
                break
        elif inside and not marker:
            found.append(line)
    return textwrap.dedent("\n".join(found)).strip("\n") if closed else None


def check(root, page):
    lines = page.read_text().splitlines()
    where = page.relative_to(root) if page.is_relative_to(root) else page
    n = 0
    while n < len(lines):
        if lines[n] != "```cpp":
            n += 1
            continue
        begin = n
        end = next((k for k in range(n + 1, len(lines)) if lines[k] == "```"), None)
        if end is None:
            yield f"{where}:{begin + 1}: a fence without an end"
            return
        shown = "\n".join(lines[begin + 1 : end]).strip("\n")
        n = end + 1
        source = SOURCE.match(lines[begin - 1]) if begin > 0 else None
        if source is None:
            yield f"{where}:{begin + 1}: C++ that is cut from nowhere: put <!-- file [name] --> before the fence"
            continue
        path, name = source.groups()
        if not (root / path).is_file():
            yield f"{where}:{begin}: no such file: {path}"
            continue
        text = cut((root / path).read_text(), name)
        if text is None:
            yield f"{where}:{begin}: {path} has no two lines // [{name}]"
        elif text != shown:
            pairs = zip(shown.splitlines() + [""], text.splitlines() + [""])
            first = next((k for k, (a, b) in enumerate(pairs) if a != b), 0)
            yield f"{where}:{begin + 2 + first}: differs from {path} [{name}]"


def renew(root, page):
    fence = re.compile(r"(<!-- (\S+) \[([a-z0-9_ ]+)\] -->\n```cpp\n)(.*?)(^```$)", re.M | re.S)

    def fill(m):
        file = root / m.group(2)
        text = cut(file.read_text(), m.group(3)) if file.is_file() else None
        return m.group(0) if text is None else m.group(1) + text + "\n" + m.group(5)

    page.write_text(fence.sub(fill, page.read_text()))


def main():
    root, pages = Path(sys.argv[1]).resolve(), [Path(p).resolve() for p in sys.argv[2:] if p != "--write"]
    if "--write" in sys.argv:
        for page in pages:
            renew(root, page)
    faults = [fault for page in pages for fault in check(root, page)]
    print(*faults, sep="\n" if faults else "")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())

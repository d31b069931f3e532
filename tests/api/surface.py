#!/usr/bin/env python3
"""Lists the public API: every declaration of every public header that is not in a namespace `detail` and not private.

    surface.py ROOT            compares the headers under ROOT with ROOT/tests/api/surface.txt
    surface.py ROOT --write    renews that file

It reads declarations as text, without a compiler: comments, bodies and private parts are left out, white space does
not count. So a change of the API shows as a change of surface.txt, and nothing else does.
"""
import difflib
import pathlib
import re
import sys

TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*      # nothing of these counts
      |(?P<token>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'|\w+(?:'\w+)*|::|->\*?|\[\[|\]\]|&&|\|\||\+\+|--|[-+*/%&|^=!<>]=|<=>|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
OPENERS = {"(": ")", "{": "}", "[": "]", "[[": "]]"}
# Where `requires (…) {` begins an expression and not a function's body.
BEFORE_EXPRESSION = {"=", "&&", "||", "(", "!", ",", "requires"}


def tokens_of(text):
    tokens = [m.group("token") for m in TOKEN.finditer(text) if m.group("token")]
    return [t for t in tokens if t != "RONDO_API"]


def group_end(tokens, at):
    """The index after the group that opens at `at`."""
    closers = []
    while True:
        token = tokens[at]
        if token in OPENERS:
            closers.append(OPENERS[token])
        elif closers and token == closers[-1]:
            closers.pop()
        at += 1
        if not closers:
            return at


def angle_end(tokens, at):
    """The index after the template parameter list that opens at `at`."""
    depth = 0
    while True:
        token = tokens[at]
        if token in OPENERS:
            at = group_end(tokens, at)
            continue
        depth += (token == "<") - (token == ">")
        at += 1
        if depth == 0:
            return at


def text_of(tokens):
    text = " ".join(tokens)
    text = re.sub(r" ?:: ?", "::", text)
    text = re.sub(r" ([,;)\]>.]|\]\]|\.\.\.)", r"\1", text)
    text = re.sub(r"([(\[<~!.]|\[\[) ", r"\1", text)
    text = re.sub(r"(\w) ([(<])", r"\1\2", text)
    text = re.sub(r" ([&*]+)(?= (?!\()|,|\)|>|$)", r"\1", text)
    text = re.sub(r"\)(&&?)", r") \1", text)
    text = re.sub(r"\b(template|requires)(?=[<(])", r"\1 ", text)
    return re.sub(r"operator ?([^\w\s(]+|\(\)) ?\(", r"operator\1(", text)


class Reader:
    def __init__(self, tokens):
        self.tokens = tokens
        self.lines = []

    def emit(self, depth, tokens):
        self.lines.append("    " * depth + text_of(tokens))

    def scope(self, at, end, depth, public, class_name=None):
        """Declarations from at to end; `public` is the access at the start."""
        tokens = self.tokens
        while at < end:
            token = tokens[at]
            if token == ";":
                at += 1
            elif token in ("public", "private", "protected") and tokens[at + 1] == ":":
                public = token == "public"
                at += 2
            elif token == "namespace" or (token == "inline" and tokens[at + 1] == "namespace"):
                at = self.namespace(at, depth, public)
            else:
                at = self.declaration(at, depth, public, class_name)

    def namespace(self, at, depth, public):
        tokens = self.tokens
        opening = tokens.index("{", at)
        names = [t for t in tokens[at:opening] if t not in ("inline", "namespace", "::")]
        end = group_end(tokens, opening)
        if names and "detail" not in names:
            if names[0] != "rondo":
                self.lines.append("    " * depth + "namespace " + "::".join(names))
                depth += 1
            self.scope(opening + 1, end - 1, depth, public)
        return end

    def declaration(self, at, depth, public, class_name):
        tokens = self.tokens
        begin = at
        while tokens[at] in ("template", "[["):
            if tokens[at] == "[[":
                at = group_end(tokens, at)
                continue
            at = angle_end(tokens, at + 1)
            if tokens[at] == "requires":
                at = self.clause_end(at + 1)
        is_friend = tokens[at] == "friend"
        if tokens[at] in ("class", "struct", "union", "enum") and self.is_definition(at):
            return self.type_definition(begin, at, depth, public)
        return self.other(begin, at, depth, public or is_friend, class_name)

    def clause_end(self, at):
        """The index after a requires-clause, which is primaries joined by && and ||."""
        tokens = self.tokens
        while True:
            if tokens[at] == "requires":
                at += 1
                if tokens[at] == "(":
                    at = group_end(tokens, at)
                at = group_end(tokens, at)
            elif tokens[at] == "(":
                at = group_end(tokens, at)
            else:
                at += 1
                while tokens[at] in ("::", "<"):
                    at = angle_end(tokens, at) if tokens[at] == "<" else at + 2
            if tokens[at] not in ("&&", "||"):
                return at
            at += 1

    def is_definition(self, at):
        tokens = self.tokens
        while tokens[at] not in ("{", ";", "(", "="):
            at = group_end(tokens, at) if tokens[at] == "[[" else at + 1
        return tokens[at] == "{"

    def type_definition(self, begin, at, depth, public):
        tokens = self.tokens
        opening = at
        while tokens[opening] != "{":
            opening = group_end(tokens, opening) if tokens[opening] in OPENERS else opening + 1
        end = group_end(tokens, opening)
        head = tokens[begin:opening]
        if public:
            if tokens[at] == "enum":
                self.emit(depth, head)
                self.enumerators(opening + 1, end - 1, depth + 1)
            else:
                name = [t for t in tokens[at + 1:opening] if re.match(r"\w+$", t) and t != "nodiscard"][:1]
                self.emit(depth, head)
                self.scope(opening + 1, end - 1, depth + 1, tokens[at] != "class", name[0] if name else None)
        while tokens[end] != ";":  # a variable of that type
            end += 1
        return end + 1

    def enumerators(self, at, end, depth):
        tokens = self.tokens
        begin = at
        while at <= end:
            if at == end or tokens[at] == ",":
                if tokens[begin:at]:
                    self.emit(depth, tokens[begin:at])
                begin = at + 1
            at = group_end(tokens, at) if at < end and tokens[at] in OPENERS else at + 1

    def other(self, begin, at, depth, public, class_name):
        """A function, a variable, an alias, a concept: up to its body or its semicolon."""
        tokens = self.tokens
        first = at
        called = False  # a parameter list was seen
        valued = False  # … = …
        constrained = False  # a clause after it
        qualified = False  # defined outside of its class
        stop = None
        while True:
            token = tokens[at]
            if token == ";":
                stop = stop or at
                at += 1
                break
            if token == "=" and not called and tokens[at - 1] != "operator":
                valued = True
            if token == "requires":
                # After the parameters and perhaps && comes a clause.
                expression = tokens[at - 1] in BEFORE_EXPRESSION and (not called or constrained)
                constrained = constrained or called
                if tokens[at + 1] == "(":
                    at = group_end(tokens, at + 1)
                    if expression:
                        at = group_end(tokens, at)
                    continue
                if expression:
                    at = group_end(tokens, at + 1)
                    continue
            if token == "alignas":
                at = group_end(tokens, at + 1)
                continue
            if token == "operator" and tokens[at + 1] == "(":
                at += 3
                continue
            if token == "(" and not valued and not called:
                called = True
                name = at - 1
                while tokens[name] in ("=", "<", ">", "*", "&", "!", "->", "==", "()", "~", ")", "(", "operator", "[", "]"):
                    name -= 1
                qualified = tokens[name - 1] == "::" and class_name is None and tokens[begin] != "friend"
            if token == ":" and called and not valued:
                stop = at
                at = self.initialisers_end(at + 1)
                continue
            if token == "{" and called and not valued:
                stop = stop or at
                at = group_end(tokens, at)
                break
            at = group_end(tokens, at) if token in OPENERS else at + 1
        text = tokens[begin:stop]
        # Not API: which types are friends, and which exist somewhere else.
        hidden = not called and (tokens[first] == "friend" or tokens[begin] in ("class", "struct", "enum"))
        if public and not qualified and not hidden and text[:1] != ["static_assert"]:
            self.emit(depth, text)
        return at

    def initialisers_end(self, at):
        """The index of the body's brace after a constructor's initialisers."""
        tokens = self.tokens
        while True:
            while tokens[at] not in ("(", "{"):
                at = angle_end(tokens, at) if tokens[at] == "<" else at + 1
            at = group_end(tokens, at)
            if tokens[at] == "...":
                at += 1
            if tokens[at] != ",":
                return at
            at += 1


def surface(root):
    lines = []
    headers = [p for pattern in ("*/include/rondo/**/*.hpp", "*/*/include/rondo/**/*.hpp") for p in root.glob(pattern)
               if p.relative_to(root).parts[0] not in ("build", "tests")]
    headers.sort(key=lambda p: p.parts[p.parts.index("include"):])
    for header in headers:
        name = header.relative_to(root).parts[2:]
        if "detail" in name:
            continue
        reader = Reader(tokens_of(header.read_text()) + [";"])
        reader.scope(0, len(reader.tokens), 1, True)
        lines.append("/".join(name))
        lines += reader.lines
    if not lines:
        sys.exit(f"no public header under {root}")
    return [line + "\n" for line in lines]


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / "tests/api/surface.txt"
    now = surface(root)
    if sys.argv[2:] == ["--write"]:
        path.write_text("".join(now))
        return
    recorded = path.read_text().splitlines(keepends=True) if path.exists() else []
    difference = list(difflib.unified_diff(recorded, now, "tests/api/surface.txt", "the headers", n=1))
    if difference:
        sys.stdout.writelines(difference)
        sys.exit("the public API differs from tests/api/surface.txt; if that is meant: python3 tests/api/surface.py . --write")
    print(f"{len(now)} lines of public API, as recorded")


if __name__ == "__main__":
    main()

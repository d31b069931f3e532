#!/usr/bin/env python3
"""Refuses co_await where g++ 12 drops or repeats code: in a condition, and in the arguments of a test macro.

usage: check_awaits.py FILE...    C++ files, and Markdown with C++ in it

g++ 12 silently drops the whole body of some coroutines that await in the condition of an if, while, do, for or switch;
test macros may evaluate their argument twice. Await first, then look:  const bool ok = co_await f(); if (ok) ...
A condition that declares what was awaited is sound:  while (auto next = co_await s.next()) ...
"""

import re
import sys

CONDITION = re.compile(r"\b(?:if|while|switch|for)\b\s*(?:constexpr\s*)?(\()")
MACRO = re.compile(r"\b(?:(?:REQUIRE|CHECK)(?:_\w+)?|CAPTURE|INFO|assert)\s*(\()")
DECLARES = re.compile(r"\(\s*[\w:<>,&*\s]+?\s[&*]*\w+\s*=\s*co_await\b")
# Comments, strings and characters are no code.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])*\'', re.S)


def blanked(text: str) -> str:
    """The text with everything that is no code as spaces, line by line the same length."""
    return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def inside(code: str, start: int) -> str:
    """What stands in the parentheses that open at `start`, without the bodies of lambdas in it."""
    depth = braces = 0
    out = []
    for at in range(start, len(code)):
        c = code[at]
        if c == "{":
            braces += 1
        elif c == "}":
            braces -= 1
        elif braces == 0 and c == "(":
            depth += 1
        elif braces == 0 and c == ")":
            depth -= 1
            if depth == 0:
                break
        if braces == 0:
            out.append(c)
    return "".join(out)


def markdown_code(text: str) -> str:
    """The C++ blocks of a Markdown file, everything else as empty lines."""
    out, keep = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            keep = not keep and "cpp" in line
            out.append("")
        else:
            out.append(line if keep else "")
    return "\n".join(out)


def faults(path: str):
    with open(path, encoding="utf-8") as f:
        whole = f.read()
    code = blanked(markdown_code(whole) if path.endswith(".md") else whole)
    for pattern, where in ((CONDITION, "a condition"), (MACRO, "a test macro")):
        for m in pattern.finditer(code):
            text = inside(code, m.start(1))
            if pattern is CONDITION:
                text = DECLARES.sub("(", text, count=1)
            if re.search(r"\bco_await\b", text):
                yield code.count("\n", 0, m.start()) + 1, f"co_await in {where}; await first, then look at the value"


def main() -> int:
    found = 0
    for path in sys.argv[1:]:
        for line, what in faults(path):
            print(f"{path}:{line}: {what}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

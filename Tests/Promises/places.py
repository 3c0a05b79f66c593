# SPDX-License-Identifier: MIT
"""Finds the line of a bug by the declaration that it stands in: it may move within its file, and to another one.

A place is the name of a declaration, `Slots.leave`, `BodyPipe.init` or `Transfer` for a property or a case of the type
itself; with `#2` after it the second line that reads so. What is not Swift has the name of its file. The search counts
on the indentation of swift-format, and knows nothing else about the language.
"""

import functools
import re

MODIFIERS = (
    r"(?:@\w+(?:\(.*?\))? |(?:public|package|internal|private|fileprivate|open)(?:\(set\))? |nonisolated(?:\(\w+\))? "
    r"|(?:static|class|final|override|mutating|convenience|required|isolated|indirect|lazy|weak|consuming|borrowing) )*")
TYPE = re.compile(rf"( *){MODIFIERS}(?:struct|class|actor|enum|protocol|extension) ([\w.]+)")
MEMBER = re.compile(rf"( *){MODIFIERS}(?:(?:func|var|let) `?([^\s(<:`]+)|(init|deinit|subscript)\b)")


def indentation(line):
    return len(line) - len(line.lstrip(" "))


def end(lines, start, indent):
    """The number of the line after a declaration."""
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip() or indentation(line) > indent or line.lstrip()[:1] in (")", "]", '"'):
            continue
        return number + (indentation(line) == indent and line.lstrip().startswith("}"))
    return len(lines)


def declarations(text):
    """The declarations of a Swift file: their names, and the numbers of their first line and of that after them."""
    lines = text.split("\n")
    types, member = [], 0
    for number, line in enumerate(lines):
        while types and types[-1][2] <= number:
            types.pop()
        if number < member or (types and indentation(line) <= types[-1][1]):
            continue
        if found := TYPE.match(line):
            types.append((found[2].split(".")[-1], len(found[1]), end(lines, number, len(found[1]))))
            yield types[-1][0], number, types[-1][2]
        elif found := MEMBER.match(line):
            member = end(lines, number, len(found[1]))
            yield ".".join([*(kind[0] for kind in types[-1:]), found[2] or found[3]]), number, member
        elif types and line.lstrip().startswith("case "):
            for case in re.findall(r"(?:case |, )`?(\w+)", re.sub(r"\(.*?\)", "", line)):
                yield f"{types[-1][0]}.{case}", number, number + 1


@functools.cache
def index(folder):
    """The texts of a folder, the declarations by name, and the files by name."""
    texts, named = {}, {}
    folders = [folder / "Sources", folder / "Examples"] if (folder / "Sources").exists() else [folder]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".swift", ".c", ".h")]
    for path in sorted(paths):
        texts[path] = path.read_text()
        named.setdefault(path.name, []).append((path, 0, texts[path].count("\n") + 1))
        for name, first, after in declarations(texts[path]) if path.suffix == ".swift" else ():
            named.setdefault(name, []).append((path, first, after))
    return texts, named


def find(folder, place, line):
    """Where the line of a place begins and ends: its file and the offsets, or `None` and a word on why."""
    texts, named = index(folder)
    name, _, number = place.partition(" #")
    if name not in named:
        return None, "there is no such declaration"
    found = {}
    for path, first, after in named[name]:
        lines = texts[path].split("\n")
        offset = sum(len(text) + 1 for text in lines[:first])
        for text in lines[first:after]:
            if text.strip() == line:
                found[path, offset + indentation(text)] = None
            offset += len(text) + 1
    if len(found) < int(number or 1) or (len(found) > 1 and not number):
        return None, f"the line occurs {len(found)} times"
    path, begin = list(found)[int(number or 1) - 1]
    return path.relative_to(folder).as_posix(), (begin, begin + len(line))


def told(folder):
    """The names of the public functions, initializers and variables of a target, and of its public types."""
    names = set()
    for path in folder.rglob("*.swift"):
        lines = path.read_text().split("\n")
        isOpen = {}  # Whether an extension is public, so that its members are.
        for name, first, after in declarations("\n".join(lines)):
            kind, _, member = name.partition(".")
            words = lines[first].split("(")[0].split()
            if not member:
                isOpen[kind] = words[:2] == ["public", "extension"]
            if "extension" in words or "let" in words:
                continue
            isHidden = {"private", "package", "fileprivate"} & set(words)
            if "public" in words or (member and isOpen.get(kind) and not isHidden):
                names.add(name)
    return names

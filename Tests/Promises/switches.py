# SPDX-License-Identifier: MIT
"""Rewrites lines so that a bug lies asleep in them until the environment variable PLANTED has its number.

One build then holds the bugs of many blocks. Each rewriting is a guess that the compiler checks: a line whose first
form does not compile gets the next one, and a line without a form left is planted in a build of its own.
"""

import re

# What the switched lines call. Internal, so that each target has its own. With the number -1 no bug is planted, and
# the file REACHED gets the numbers of the switches that were come to.
SOURCE = """internal import Glibc

@usableFromInline let plantedNumber = getenv("PLANTED").flatMap { Int(String(cString: $0)) } ?? 0
nonisolated(unsafe) private let seen = unsafe calloc(10_000, 1)!.assumingMemoryBound(to: Bool.self)

@inlinable @inline(__always) func isPlanted(_ number: Int) -> Bool {
    plantedNumber == number || (plantedNumber == -1 && isReached(number))
}

@usableFromInline func isReached(_ number: Int) -> Bool {
    guard unsafe !seen[number], let path = unsafe getenv("REACHED") else { return false }
    unsafe seen[number] = true
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let line = "\\(number)\\n"
    _ = unsafe line.withCString { unsafe write(file, $0, strlen($0)) }
    close(file)
    return false
}
"""
# The same for C, in a file of its own; each file with a switch declares the number on its first line.
C_SOURCE = """#include <stdlib.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((weak)) int plantedNumber;  // weak: two targets of a program may have switches
static unsigned char seen[10000];
__attribute__((weak)) int isReached(int number) {
    const char *path = getenv("REACHED");
    if (seen[number] || !path) return 0;
    seen[number] = 1;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dprintf(file, "%d\\n", number);
    close(file);
    return 0;
}
__attribute__((constructor)) static void readPlanted(void) {
    const char *text = getenv("PLANTED");
    plantedNumber = text ? atoi(text) : 0;
}
"""
C_DECLARATION = "extern int plantedNumber; int isReached(int); "
# A line of C that declares a name, or labels a statement.
C_NO_STATEMENT = re.compile(r"(const |unsigned |struct )?[a-z]\w* \**\w+(\[.*\])? =|(case|default)\b|else\b|\}")
OPEN, CLOSE = "([{", ")]}"
# A line that begins with one of these is no statement, or declares a name that later lines use.
NO_STATEMENT = re.compile(
    r"(let|var|func|case|default|defer|where|else|init|deinit|struct|enum|actor|extension|private|fileprivate|static"
    r"|package|public|internal|nonisolated|async|guard (let|var|case)|catch)\b|\w+: |[@.&|:?})\],#+*/]")
# What binds less strongly than the sign before it.
LOOSER = {"??": r" ([=!<>]=|[<>]|&&|\|\||\?) ", "==": r" (&&|\|\||\?) ", "&&": r" (\|\||\?) ", "||": r" \? "}
CASE = re.compile(r"(case (.*?)(?:\([^:]*\))?: )")
HEAD = re.compile(r"(?:\} )?(?:else )?(guard|if|while) ")
# New text whose names nothing behind it can use, because it leaves.
# What stands before a comment at the end of a line.
COMMENT = re.compile(r'^((?:"(?:\\.|[^"\\])*"|[^"])*?)\s+// .*$')
LEAVING = re.compile(r"(let|var|defer|guard)\b.*; (return|throw|break|continue)\b[^;]*$")
BINDING = re.compile(r"((?:let|var|case) .*? = )(.*)$")


def forms(number, old, new):
    """The lines that behave like `new` when the bug `number` is planted, and like `old` else; the likeliest first."""
    test = f"isPlanted({number})"
    found = []
    if "redis.call(" in old:
        # A line of a script, which the compiler does not see.
        return [choice(test, old, new) if old.startswith('"') else f'\\({test} ? "{new}" : "{old}")']
    if old.startswith("//"):
        return [f"if {test} {{ {new} }}"]
    filtered = re.match(r"(case .* where )(.*)(:.*)$", old)
    if filtered and new == filtered[1].removesuffix(" where ") + filtered[3]:
        return [f"{filtered[1]}({test} || ({filtered[2]})){filtered[3]}"]
    filtered = re.match(r"(case .*) where (.*?)(: .*)$", new)
    if filtered and old == filtered[1] + filtered[3]:
        return [f"{filtered[1]} where (!{test} || ({filtered[2]})){filtered[3]}"]
    old, new = (re.sub(COMMENT, r"\1", text) for text in (old, new))
    if not new.startswith("//"):
        for form in (around, statement, condition, block, assignment, argument):
            found += [line for line in form(test, old, new) if line not in found]
    return found


def c_forms(number, old, new):
    """The same for a line of C."""
    test = f"(plantedNumber == {number} || (plantedNumber == -1 && isReached({number})))"
    label = re.match(r"case \w+: ", old)
    start = label[0] if label and new.startswith(label[0]) else ""
    if not C_NO_STATEMENT.match(old[len(start):]) and old.endswith(";"):
        return [f"{start}if {test} {{ {new[len(start):]} }} else {{ {old[len(start):]} }}"]
    end = ";" if old.endswith(";") else ""
    return [form + end for form in argument(test, old.removesuffix(";"), new.removesuffix(";"))]


def split(text):
    """The parts of `text` between its outer commas, or nothing when its brackets do not match."""
    depth, parts, start, quoted = 0, [], 0, False
    for index, character in enumerate(text):
        if character == '"' and text[index - 1:index] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if character in OPEN:
            depth += 1
        elif character in CLOSE:
            depth -= 1
            if depth < 0:
                return []
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return parts + [text[start:]] if depth == 0 else []


def around(test, old, new):
    """The whole line stays, between what comes before it and behind it."""
    before, is_there, after = new.partition(old)
    if not is_there or (before and not before.endswith("; ")) or "case " in after:
        return
    if after and not old.endswith((":", " in", "{")) and not after.startswith("; "):
        return
    if before and not before.startswith("let "):
        before = f"if {test} {{ {before[:-2]} }}; "
    gap, after = after[:after.startswith("; ")], after.removeprefix("; ").strip()
    yield before + old + (f"{gap} if {test} {{ {after} }}" if after else "")


def statement(test, old, new):
    """Whole statements: `if planted { new } else { old }`."""
    discarded = re.match(r"defer \{ (.*) \}$", old)
    if discarded and re.fullmatch(r"_ = [\w.]+", new):
        yield f"defer {{ if {test} {{ {new} }} else {{ {discarded[1]} }} }}"
    label, other = re.match(CASE, old), re.match(CASE, new)
    prefix = ""
    if label and other and other[1] in (label[1], f"case {label[2]}: "):
        prefix, old, new = label[1], old[len(label[1]):], new[len(other[1]):]
    if re.match(r"guard .*\blet\b", old):
        return  # it declares a name that later lines use
    if len(split(old)) > 1 and not re.match(r"(if|guard|while|for)\b", old):
        return  # some of the arguments of a call, or of the conditions
    if old and not NO_STATEMENT.match(old) and (LEAVING.match(new) or not NO_STATEMENT.match(new or "x")) and split(
        old) and (not new or split(new)):
        yield f"{prefix}if {test} {{ {new} }} else {{ {old} }}"
        if LEAVING.match(new) and not re.match(r"(return|throw)\b", old):
            yield f"{prefix}if {test} {{ {new} }} else {{ return {old} }}"


def condition(test, old, new):
    """The conditions of `guard`, `if` and `while`."""
    head = HEAD.match(old)
    if not head or not new.startswith(head[0]):
        return
    pattern = r"(.*?)( else \{.*)$" if head[1] == "guard" else r"(.*)( \{.*)$"
    olds, news = re.match(pattern, old[head.end():]), re.match(pattern, new[head.end():])
    if not olds or not news:
        pattern = r"(.*?)(,?)$"
        olds, news = re.match(pattern, old[head.end():]), re.match(pattern, new[head.end():])
    before, after = [part.strip() for part in split(olds[1])], [part.strip() for part in split(news[1])]
    if olds[2] != news[2] or not before or not after:
        return
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    gone, come = before[start:len(before) - end], after[start:len(after) - end]
    if len(gone) == 1 and len(come) == 1 and BINDING.match(gone[0]) and BINDING.match(come[0]):
        (name, value), (other, replacement) = BINDING.match(gone[0]).groups(), BINDING.match(come[0]).groups()
        middle = f"{name}{choice(test, value, replacement)}" if name == other else None
    elif len(gone) == 1 and "let " not in gone[0] and not any(BINDING.match(part) for part in come) and (
            pattern := BINDING.match(gone[0])):
        both = [f"{{ if {gone[0]} {{ true }} else {{ false }} }}()", " && ".join(f"({part})" for part in come) or "true"]
        middle = choice(test, *both)
    elif any(BINDING.match(part) for part in gone + come):
        middle = None
    else:
        both = [" && ".join(f"({part})" for part in parts) or "true" for parts in (gone, come)]
        middle = choice(test, *both)
    if middle:
        yield head[0] + ", ".join(before[:start] + [middle] + before[len(before) - end:]) + olds[2]


def block(test, old, new):
    """What differs lies in one block of the line: `{ if planted { new } else { old } }`."""
    for place in reversed([match.end() for match in re.finditer(r"\{ (?:\[?[\w, =\[\].$()]*\]?[\w, ()]* in )?", old)]):
        prefix = old[:place]
        if not new.startswith(prefix.rstrip()):
            continue
        for suffix in sorted({old[match.start():] for match in re.finditer(r" \}", old[place - 1:] and old)}, key=len):
            rest = new[len(prefix.rstrip()):]
            if not rest.endswith(suffix.lstrip()) or len(old) - len(suffix) < place:
                continue
            before = old[place:len(old) - len(suffix)]
            after = rest[:len(rest) - len(suffix.lstrip())].strip()
            after = re.sub(r"^_ in( |$)", "", after)
            if split(before) and (not after or split(after)) and not NO_STATEMENT.match(before):
                yield f"{prefix}if {test} {{ {after} }} else {{ {before} }}{suffix}"


def assignment(test, old, new):
    """The value of a declaration: `let name = if planted { new } else { old }`."""
    pattern = r"((?:[\w()]+ )*(?:let|var) [^={]*? = )(.*)$"
    before, after = re.match(pattern, old), re.match(pattern, new)
    if before and after and before[1] == after[1] and ";" not in new and split(before[2]) and split(after[2]):
        yield f"{before[1]}if {test} {{ {after[2]} }} else {{ {before[2]} }}"
        yield f"{before[1]}{choice(test, before[2], after[2])}"


def argument(test, old, new):
    """The smallest expression in which the lines differ: `planted ? new : old`."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) and old[-1 - end] == new[-1 - end]:
        end += 1
    begins = [m.end() for m in re.finditer(r"\w+: |[(\[{] ?|, |return |(?<![=!<>])= |== |\? |&& |\|\| |\?\? | in | where |^case |^", old) if m.end() <= start]
    ends = [m.start() for m in re.finditer(r", ?|[)\]}]| \{| else|: | &&| \|\|| \?\?|$", old) if m.start() >= len(old) - end]
    tried = 0
    for begin in reversed(begins):
        for stop in ends:
            before, after = old[begin:stop], new[begin:len(new) - (len(old) - stop)]
            looser = next((text for sign, text in LOOSER.items() if old[:begin].endswith(f" {sign} ")), None)
            if looser and re.search(looser, before + after):
                continue  # the sign before it binds more strongly than one in it
            if before.strip() and after.strip() and len(split(before)) == 1 and len(split(after)) == 1:
                if not re.search(r"\b(let|var|try|await|return|for|case|defer|guard|if|while)\b|^\.?\w+:", before + after):
                    yield old[:begin] + choice(test, before, after) + old[stop:]
                    tried += 1
                    if tried == 4:
                        return


def choice(test, old, new):
    if old == "#isolation":  # as a part of a choice it crashes the compiler
        return f"{{ {test} ? {new} : $0 }}({old})"
    return f"({test} ? ({new}) : ({old}))"

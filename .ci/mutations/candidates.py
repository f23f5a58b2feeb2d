"""Finds the places of formatted Swift source that can be mutated, and writes source with both variants.

The program reads the number of the active mutant, `mutantInForce`, from its environment. So one build contains all chosen
mutants. The source is processed as text. Mutants that do not compile are dropped later.
"""

import hashlib
import re
from dataclasses import dataclass

FLAG = "mutantInForce"
COMPARISONS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > "}
OPENING, CLOSING = "([{", ")]}"
STATEMENT = re.compile(
    r"(?:[a-z][\w.?!\[\]]* (?:=|\+=|-=) \S.*"  # an assignment
    r"|\([\w., ?]+\) = \S.*"  # an assignment to several variables
    r"|[a-z][\w.?!\[\]]*\(.*\)(?:\.[\w]+\(.*\))*)$")  # a call
NO_STATEMENT = re.compile(
    r"(?:return|let|var|func|init|super\.init|self\.init|case|default|guard|if|for|while|switch|throw|try|defer|precondition\w*"
    r"|typealias|enum|struct|class|self\.(\w+) = \1$|\(self\.(\w+), .* = \(\2)\b")


@dataclass(frozen=True)
class Candidate:
    """One mutation: the text from `start` to `end` of a file, and a template with both variants."""

    file: str
    start: int
    end: int
    kind: str
    template: str  # {n} is the number of the mutant
    line: str  # as in the source
    occurrence: int  # the number among equal mutations of equal lines

    @property
    def place(self):
        return (self.file, self.line, self.kind + (f" ({self.occurrence})" if self.occurrence > 1 else ""))

    @property
    def rank(self):
        """From 0 to 1, independent of the rest of the source."""
        digest = hashlib.sha256("\0".join(self.place).encode()).digest()
        return int.from_bytes(digest[:6]) / 2**48


def masked(text):
    """The text with comments replaced by blanks, and strings by `_`."""
    def blank(match):
        filler = " " if match.group().startswith("/") else "_"
        return re.sub(r"[^\n]", filler, match.group())

    return re.sub(r"//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|\"(?:\\.|[^\"\\\n])*\"", blank, text, flags=re.S)


def parts(code, start, end, separator):
    """The ranges between the separators outside of brackets."""
    depth, begin, position = 0, start, start
    while position < end:
        if code[position] in OPENING:
            depth += 1
        elif code[position] in CLOSING:
            depth -= 1
        elif depth == 0 and code.startswith(separator, position):
            yield begin, position
            position += len(separator)
            begin = position
            continue
        position += 1
    yield begin, end


def trimmed(code, start, end):
    while start < end and code[start].isspace():
        start += 1
    while start < end and code[end - 1].isspace():
        end -= 1
    return start, end


def end_of_condition(code, start, words):
    """The end of a list of conditions: the first of the words outside of brackets; `None` if there is none."""
    depth, position = 0, start
    while position < len(code):
        if depth == 0 and any(code.startswith(word, position) for word in words):
            return position
        if code[position] in OPENING:
            depth += 1
        elif code[position] in CLOSING:
            depth -= 1
            if depth < 0:
                return None
        position += 1
    return None


def conditions(code):
    """The ranges of all Boolean expressions that are used as conditions or results."""
    for match in re.finditer(r"(?<!#)\b(if|while|guard|where) (?!#)", code):
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if match.group(1) == "where" and not re.match(r"(case|for|\} ?catch)\b", line):
            continue
        words = {"guard": [" else", "\n        else", "\n    else"], "where": [" {", ":"]}.get(match.group(1), [" {"])
        end = end_of_condition(code, match.end(), words)
        if end is not None:
            for start, stop in parts(code, match.end(), end, ","):
                yield trimmed(code, start, stop)
    # The result of a Boolean function or property.
    for match in re.finditer(r"(?:->|:) Bool \{\s+(?=[^\s}])", code):
        end = end_of_condition(code, match.end(), ["}"])
        end = body_end(code, match.end()) if end is None else end
        if end is not None and "\n" not in code[match.end() : end].strip():
            yield trimmed(code, match.end(), end)
    for match in re.finditer(r"\breturn (?=[^\n]*(?: [<>]=? | && | \|\| ))", code):
        yield trimmed(code, match.end(), code.index("\n", match.end()))


def body_end(code, start):
    """The end of the braces around a position."""
    depth = 0
    for position in range(start, len(code)):
        if code[position] in OPENING:
            depth += 1
        elif code[position] in CLOSING:
            depth -= 1
            if depth < 0:
                return position
    return None


def of_condition(text, code, start, end):
    """Negations, shifted comparisons, and `and` instead of `or`."""
    if start >= end or re.match(r"(let|var|case|try|await|switch|if|return|guard|for|defer)\b|#", code[start:end]):
        return
    if code.count("{", start, end) != code.count("}", start, end) or code[start:end].endswith("{"):
        return
    whole = text[start:end]
    yield start, end, "negated", f"negated(whether: {FLAG} == {{n}}, {escaped(whole)})"
    for operator, other in ((" && ", " || "), (" || ", " && ")):
        ranges = list(parts(code, start, end, operator))
        if len(ranges) == 2 and (" && " in code[start:end]) != (" || " in code[start:end]) and " ? " not in whole:
            left, right = (text[a:b] for a, b in ranges)
            yield start, end, f"{operator.strip()} to {other.strip()}", both(left + other + right, whole)
    for outer in parts(code, start, end, " && "):
        for a, b in parts(code, *outer, " || "):
            for operator, other in COMPARISONS.items():
                ranges = list(parts(code, a, b, operator))
                if len(ranges) == 2 and " ? " not in code[a:b] and " ?? " not in code[a:b]:
                    left, right = (text[c:d] for c, d in ranges)
                    yield a, b, f"{operator.strip()} to {other.strip()}", both(left + other + right, text[a:b])


def both(mutated, original):
    return f"({FLAG} == {{n}} ? {escaped(mutated)} : {escaped(original)})"


def escaped(text):
    return text.replace("{", "{{").replace("}", "}}")


def statements(text, code):
    """Single statements that can be left out."""
    for match in re.finditer(r"^( *)(\S[^\n]*)$", code, flags=re.M):
        line, start = match.group(2), match.start(2)
        candidates = [(0, len(line))]
        if line.endswith("}"):
            # The only statement in the braces of its line.
            opening = line.rfind("{ ", 0, len(line) - 1)
            candidates = [(opening + 2, len(line) - 2)] if opening >= 0 and line.endswith(" }") else []
        elif line.startswith(("case ", "default: ")):
            colon = next(parts(line, 0, len(line), ": "))[1]
            candidates = [(colon + 2, len(line))]
        for begin, end in candidates:
            statement = line[begin:end]
            brackets = [statement.count(c) for c in OPENING + CLOSING]
            if brackets[:3] != brackets[3:] or not STATEMENT.match(statement) or NO_STATEMENT.match(statement):
                continue
            a, b = start + begin, start + end
            yield a, b, "left out", f"if {FLAG} != {{n}} {{{{ {escaped(text[a:b])} }}}}"


def literals(text, code):
    """Shifted numbers, the other Boolean, and `max` instead of `min`."""
    for match in re.finditer(r"(?<![\w$.@])(\d[\d_]*)(?![\w.]*[\w(])(?! ==)", code):
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if "#" in line or line.lstrip().startswith("@"):
            continue
        number = match.group(1)
        other = str(int(number.replace("_", "")) + 1)
        yield match.start(1), match.end(1), f"{number} to {other}", both(other, number)
    for match in re.finditer(r"(?<!= )\b(true|false)\b", code):
        other = "false" if match.group() == "true" else "true"
        yield match.start(), match.end(), f"{match.group()} to {other}", both(other, match.group())
    for match in re.finditer(r"(?<![\w.])(min|max)\((?=[^)])", code):
        other = "max" if match.group(1) == "min" else "min"
        template = f"{match.group(1)}(or: {FLAG} == {{n}}, "
        yield match.start(), match.end(), f"{match.group(1)} to {other}", template


def candidates(file, text):
    """All mutations of a file, without duplicates."""
    code = masked(text)
    found = []
    for start, end in conditions(code):
        found += of_condition(text, code, start, end)
    found += statements(text, code)
    found += literals(text, code)
    seen, counts = set(), {}
    for start, end, kind, template in sorted(found):
        if (start, end, kind) in seen:
            continue
        seen.add((start, end, kind))
        begin, stop = text.rfind("\n", 0, start) + 1, text.find("\n", start)
        line = text[begin:stop].strip()
        counts[line, kind] = counts.get((line, kind), 0) + 1
        yield Candidate(file, start, end, kind, template, line, counts[line, kind])


def rewritten(text, numbered):
    """The text with all mutants of one file, which do not overlap."""
    for number, candidate in sorted(numbered, key=lambda pair: -pair[1].start):
        text = text[: candidate.start] + candidate.template.format(n=number) + text[candidate.end :]
    return text


def choose(found, share, limit):
    """A share of the candidates up to a limit, with at least one of each file, and without overlaps.

    The choice of a candidate depends only on its line and its file, so that changes elsewhere do not affect it.
    """
    chosen, taken = [], {}
    for candidate in sorted(found, key=lambda c: c.rank):
        ranges = taken.setdefault(candidate.file, [])
        if ranges and (candidate.rank > share or len(chosen) >= limit):
            continue
        if all(candidate.end <= a or b <= candidate.start for a, b in ranges):
            ranges.append((candidate.start, candidate.end))
            chosen.append(candidate)
    return sorted(chosen, key=lambda c: (c.file, c.start))

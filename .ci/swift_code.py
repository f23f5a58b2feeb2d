"""The code of a Swift file, for the checks that read sources."""

import re

QUOTE = re.compile(r'(#*)("""|")')


def code(text):
    """The text without comments and strings; what an interpolation contains stays."""
    out, place = [], 0
    while place < len(text):
        if text.startswith("//", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif text.startswith("/*", place):
            place = after_comment(text, place)
        elif (quote := QUOTE.match(text, place)):
            inner, place = string(text, quote)
            out.append(f" {inner} ")
        else:
            out.append(text[place])
            place += 1
    return "".join(out)


def after_comment(text, place):
    """The place after a comment, which may contain others."""
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, place):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def string(text, quote):
    """The code in the interpolations of a string, and the place after it."""
    hashes, mark = quote[1], quote[2]
    end, escape = mark + hashes, "\\" + hashes
    inner, place = [], quote.end()
    while place < len(text):
        if text.startswith(end, place):
            return " ".join(inner), place + len(end)
        if text.startswith(escape + "(", place):
            start = place + len(escape)
            place = after_parentheses(text, start)
            inner.append(code(text[start:place]))
        elif text.startswith(escape, place):
            place += len(escape) + 1
        else:
            place += 1
    return " ".join(inner), place


def after_parentheses(text, place):
    """The place after the parenthesis that closes the one at this place. Strings in between may contain others."""
    depth = 0
    while place < len(text):
        if (quote := QUOTE.match(text, place)):
            place = string(text, quote)[1]
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            break
    return place

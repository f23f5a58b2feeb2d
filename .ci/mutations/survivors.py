"""The list of the mutants that no test finds, each with its reason.

    Refresh/BackOff.swift: > to >=
        guard uptime > now.uptime else { return }
        A slot that opens now is open either way.
"""


def read_survivors(file):
    """The reasons by place: the file, the line, the mutation."""
    listed = {}
    blocks = [block for block in file.read_text(encoding="utf-8").split("\n\n") if not block.startswith("#")]
    for block in blocks:
        if not block.strip():
            continue
        head, line, *reason = block.strip("\n").split("\n")
        name, kind = head.split(": ", 1)
        reason = " ".join(part.strip() for part in reason)
        if not reason:
            raise SystemExit(f"{file.name}: no reason for\n{block}")
        listed[name, line.strip(), kind] = reason
    return listed


def write_survivor(place, reason):
    name, line, kind = place
    return f"{name}: {kind}\n    {line}\n    {reason}"

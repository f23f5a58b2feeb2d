"""Mutates a small package, to prove that the check finds what it must find."""

from pathlib import Path

from candidates import candidates
from package import Package
from survivors import read_survivors, write_survivor

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription
let package = Package(name: "sample", targets: [
    .target(name: "Sample"), .testTarget(name: "SampleTests", dependencies: ["Sample"]),
])
"""
SOURCE = """\
public struct Meter {
    public private(set) var level = 0
    private var unused = 7

    public init() {}

    /// The test finds each mutant of this method. Some mutants hang.
    public mutating func fill(to limit: Int) {
        while level < limit {
            level += 1
        }
    }

    /// No test can find a mutant of this method.
    public mutating func idle() {
        unused = 8
    }
}
"""
TESTS = """\
import Sample
import Testing

@Suite struct MeterTests {
    @Test func fills() {
        var meter = Meter()
        #expect(meter.level == 0)
        meter.idle()
        meter.fill(to: 3)
        #expect(meter.level == 3)
    }
}
"""
FILE = "Parts/Meter.swift"
UNNOTICED = {
    (FILE, "private var unused = 7", "7 to 8"),
    (FILE, "unused = 8", "left out"),
    (FILE, "unused = 8", "8 to 9"),
}
NOTICED = {
    (FILE, "public private(set) var level = 0", "0 to 1"),
    (FILE, "while level < limit {", "< to <="),
    (FILE, "while level < limit {", "negated"),
    (FILE, "level += 1", "left out"),
    (FILE, "level += 1", "1 to 2"),
}


def self_test(runs_of, complaints, folder):
    """Checks and prints these claims; returns whether all hold."""
    found = {candidate.place for candidate in candidates(FILE, SOURCE)}
    claims = {"the mutants are those of the source": found == UNNOTICED | NOTICED}

    package = sample(folder)
    package.mutate(share=1, limit=150)
    numbers = {mutant.place: number for number, mutant in package.mutants.items()}
    runs = runs_of(package)
    listed = {place: "No test can find it." for place in UNNOTICED & set(numbers)}
    claims["a mutant without effect survives, and every other one is found"] = (
        bool(listed) and not list(complaints(runs, numbers.values(), listed)))
    claims["a survivor that is not listed is a failure"] = all(
        list(complaints(runs, [numbers[place]], without(listed, place))) for place in listed)
    claims["a listed mutant that is found, or hangs, is a failure"] = all(
        list(complaints(runs, [numbers[place]], listed | {place: "?"})) for place in NOTICED & set(numbers))
    claims["a listed mutant that no longer exists is a failure"] = bool(
        list(complaints(runs, [], listed | {(FILE, "gone()", "left out"): "?"})))

    file = folder / "survivors.txt"
    file.write_text("# A title.\n\n" + "\n\n".join(write_survivor(*item) for item in listed.items()), encoding="utf-8")
    claims["the list is read as it was written"] = read_survivors(file) == listed
    for claim, holds in claims.items():
        print(f"{'ok' if holds else 'FAILED'}: {claim}")
    return all(claims.values())


def without(listed, place):
    return {other: reason for other, reason in listed.items() if other != place}


def sample(folder):
    for path, text in {
        "Package.swift": MANIFEST, f"Sources/Sample/{FILE}": SOURCE, "Tests/SampleTests/MeterTests.swift": TESTS,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return Package(folder, "Sample", ["Parts"], [r"SampleTests\.MeterTests/"])

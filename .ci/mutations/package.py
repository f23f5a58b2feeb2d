"""A copy of a part of the package in which one build contains many mutants, and runs of its tests with one active mutant."""

import os
import re
import resource
import shutil
import signal
import subprocess
import threading
from collections import defaultdict
from pathlib import Path

from candidates import FLAG, candidates, choose, rewritten

MEMORY = 8 << 30  # bytes; a mutant may try to use all memory
SWITCH = f"""\
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The number of the active mutant; 0 for none.
public let {FLAG}: Int = getenv("MUTANT").flatMap {{ Int(String(cString: $0)) }} ?? 0

@usableFromInline func negated(whether isNegated: Bool, _ condition: Bool) -> Bool {{ condition != isNegated }}
@usableFromInline func min<Value: Comparable>(or isMutated: Bool, _ first: Value, _ second: Value) -> Value {{
    isMutated ? max(first, second) : min(first, second)
}}
@usableFromInline func max<Value: Comparable>(or isMutated: Bool, _ first: Value, _ second: Value) -> Value {{
    isMutated ? min(first, second) : max(first, second)
}}
"""


class Package:
    """A package in its own folder. Some folders of its module `module` are mutated."""

    def __init__(self, folder, module, mutated, tests, options=()):
        self.folder, self.module, self.mutated, self.tests = Path(folder), module, mutated, tests
        self.command = ["swift", "build", "--package-path", folder, "-debug-info-format", "none", *options]
        self.sources = self.folder / "Sources" / module
        self.files = sorted(file for part in mutated for file in (self.sources / part).glob("*.swift"))
        self.originals = {file: file.read_text(encoding="utf-8") for file in self.files}
        self.mutants, self.program = {}, None

    def mutate(self, share, limit):
        """Chooses mutants, drops those that do not compile, and builds the package with the others."""
        (self.sources / "MutantInForce.swift").write_text(SWITCH, encoding="utf-8")
        found = [c for file, text in self.originals.items() for c in candidates(self.name(file), text)]
        self.places = {candidate.place for candidate in found}
        chosen = choose(found, share, limit)
        while True:
            self.mutants = dict(enumerate(chosen, 1))
            self.write()
            errors, output = self.build("--target", self.module)
            if not errors:
                break
            rejected = {self.culprit(chosen, file, line) for file, lines in errors.items() for line in lines} - {None}
            if not rejected:
                raise SystemExit(f"the mutants do not build:\n{output}")
            chosen = [c for c in chosen if c.place not in rejected]
        errors, output = self.build("--build-tests")
        if errors:
            raise SystemExit(f"the tests of the mutants do not build:\n{output}")
        self.program = self.find_program()

    def name(self, file):
        return str(file.relative_to(self.sources))

    def write(self):
        by_file = defaultdict(list)
        for number, candidate in self.mutants.items():
            by_file[candidate.file].append((number, candidate))
        for file, text in self.originals.items():
            file.write_text(rewritten(text, by_file[self.name(file)]), encoding="utf-8")

    def culprit(self, chosen, file, line):
        """The place of the mutant that causes an error: the closest one, because an error in a closure is that of its call."""
        near = [c for c in chosen if c.file == file]
        return min(near, key=lambda c: (abs(self.first_line(c) - line), -c.start)).place if near else None

    def first_line(self, candidate):
        return self.originals[self.sources / candidate.file].count("\n", 0, candidate.start) + 1

    def build(self, *arguments):
        """The lines with errors by file, and the compiler's messages. A failure without a place has the file ``?``."""
        environment = {key: value for key, value in os.environ.items() if key != "CI"}  # Mutants have warnings.
        result = subprocess.run([*self.command, *arguments], capture_output=True, text=True, env=environment)
        errors = defaultdict(set)
        if result.returncode:
            output = result.stdout + result.stderr
            for file, line in re.findall(r"Sources/\w+/(\S+?\.swift):(\d+):\d+: error: ", output):
                errors[file].add(int(line))
            errors["?"].add(0)  # Also if none has a place.
        complaints = [line for line in (result.stdout + result.stderr).splitlines() if "error: " in line]
        return errors, "\n".join(dict.fromkeys(complaints))

    def find_program(self):
        path = subprocess.run([*self.command, "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
        return next(Path(path).glob("*PackageTests.xctest"))

    def run(self, number, filter, limit):
        """Runs the tests of a filter with an active mutant: `passed`, `failed` or `hung`.

        The first failed test ends the run.
        """
        process = subprocess.Popen(
            # `timeout` ends it even if this process is gone.
            ["timeout", str(round(limit) + 5), self.program, "--testing-library", "swift-testing", "--filter", filter],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env=os.environ | {"MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no"}, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        hung = threading.Event()
        timer = threading.Timer(limit, lambda: (hung.set(), kill(process)))
        timer.start()
        output, failed = [], False
        for line in process.stdout:
            output.append(line)
            if "recorded an issue" in line:
                failed = True
                kill(process)
                break
        status = process.wait()
        timer.cancel()
        if hung.is_set() and not failed:
            return "hung", output
        passed = any(re.search(r"Test run with [1-9]\d* tests? .*passed", line) for line in output)
        return ("passed" if passed and not failed and status == 0 else "failed"), output


def kill(process):
    """Kills a process that is the leader of its own group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def copy_of_core(root, folder):
    """Copies the core and its tests to a package without dependencies."""
    parts = [
        ("target", "RequestAuthorization", "Sources/RequestAuthorization", []),
        ("target", "RequestAuthorizationTesting", "Sources/RequestAuthorizationTesting", ["RequestAuthorization"]),
        ("target", "RedactionChecks", "Tests/Support/RedactionChecks", []),
        ("target", "TestProviders", "Tests/Support/TestProviders", ["RequestAuthorization"]),
        ("target", "TestWidth", "Tests/Support/TestWidth", []),
        ("testTarget", "RequestAuthorizationTests", "Tests/RequestAuthorizationTests",
         ["RequestAuthorization", "RequestAuthorizationTesting", "RedactionChecks", "TestProviders", "TestWidth"]),
    ]
    features = re.findall(r'\.enableUpcomingFeature\("\w+"\)', (root / "Package.swift").read_text(encoding="utf-8"))
    targets = []
    for kind, name, path, dependencies in parts:
        shutil.copytree(root / path, folder / path)
        listed = ", ".join(f'"{dependency}"' for dependency in dependencies)
        settings = "" if name == "TestWidth" else f", swiftSettings: [{', '.join(features)}]"
        targets.append(f'.{kind}(name: "{name}", dependencies: [{listed}], path: "{path}"{settings})')
    (folder / "Package.swift").write_text(
        "// swift-tools-version: 6.2\nimport PackageDescription\n"
        'let package = Package(name: "mutants", platforms: [.macOS(.v15)], targets: [\n'
        + ",\n".join(targets) + "\n])\n", encoding="utf-8")


# What the tests do not need is not built.
ONLY = """
var needed = [{tests}]
var position = 0
while position < needed.count {{
    let target = package.targets.first {{ $0.name == needed[position] }}
    for dependency in target?.dependencies ?? [] {{
        switch dependency {{
        case .targetItem(let name, _), .byNameItem(let name, _): needed.append(name)
        default: break
        }}
    }}
    position += 1
}}
package.targets.removeAll {{ !needed.contains($0.name) }}
package.products = []
"""

# Without traits no target needs another package, and none is fetched.
ALONE = """
for target in package.targets {
    target.dependencies.removeAll { if case .productItem = $0 { true } else { false } }
}
package.dependencies = []
"""


def copy_of_package(root, folder, *tests, alone=False):
    """Copies the package, with the tests of some targets only; `alone` is for builds without traits."""
    for name in ("Sources", "Tests", "Documentation"):
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns(".build"), symlinks=True)
    manifest = (root / "Package.swift").read_text(encoding="utf-8")
    listed = ", ".join(f'"{name}"' for name in tests)
    (folder / "Package.swift").write_text(manifest + ONLY.format(tests=listed) + (ALONE if alone else ""), encoding="utf-8")


def suites(folder):
    """The names of the suites in a folder of tests, one per file."""
    for file in sorted(folder.glob("*.swift")):
        text = file.read_text(encoding="utf-8")
        if "@Test" in text and (match := re.search(r"^(?:@\w+(?:\(.*\))? )*struct (\w+)", text, flags=re.M)):
            yield match.group(1)

"""Starts the programs under test, reads their output, and ends them."""

import os
import queue
import subprocess
import threading

LIMIT = 60  # seconds to wait for a line or the end


class Program:
    """A program that runs beside the browser.

        with Program("spotify", "serve", "--port", "0", folder=products, environment=environment) as server:
            address = server.line("http://")
    """

    def __init__(self, name, *arguments, folder, environment=None):
        self.name = " ".join([name, *arguments])
        self.process = subprocess.Popen(
            [os.path.join(folder, name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment)
        self.output, self.errors = [], []
        self._lines = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in [(self.process.stdout, self.output), (self.process.stderr, self.errors)]]
        for reader in self._readers:
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def line(self, part):
        """Waits for a line, on either output, that contains `part`."""
        while True:
            try:
                line = self._lines.get(timeout=LIMIT)
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"{self.name} did not print {part!r} but {''.join(self.output + self.errors)!r}")
            if part in line:
                return line.strip()

    def end(self):
        """Waits for the end: (exit status, standard output, standard error)."""
        status = self.process.wait(LIMIT)
        for reader in self._readers:
            reader.join(LIMIT)
        return status, "".join(self.output), "".join(self.errors)

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line)
            self._lines.put(line)
        if stream is self.process.stdout:
            self._lines.put(None)


def run(name, *arguments, folder, environment=None):
    """Runs a program to its end: (exit status, standard output, standard error)."""
    with Program(name, *arguments, folder=folder, environment=environment) as program:
        return program.end()

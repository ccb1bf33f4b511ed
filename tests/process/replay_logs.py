"""Logs for the tests of blockx-replay: recorded by blockx-sim, changed by way of the text form."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SIM = os.environ["BLOCKX_SIM"]
REPLAY = os.environ["BLOCKX_REPLAY"]
SCENARIOS = pathlib.Path(os.environ["BLOCKX_SCENARIOS"])


def replay(*arguments, stdin=None):
    return subprocess.run([REPLAY, *arguments], input=stdin, capture_output=True, check=False)


def record(folder, scenario, *changes):
    """Runs a scenario on one Worker; the log, and the run's results as blockx-sim tells them."""
    settings = [part for change in ("fleet.workers=1", "warmup=0s", *changes) for part in ("--set", change)]
    done = subprocess.run(
        [SIM, "run", str(SCENARIOS / scenario), *settings, "--quiet", "--json", "-", "--csv", str(folder / "tables"),
         "--record", str(folder / "logs")], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return folder / "logs" / "worker-0", json.loads(done.stdout)


def export(log, form, *options):
    """What an export writes; nothing may have been wrong with it."""
    done = replay("export", str(log), "--format", form, *options)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return done.stdout.decode("utf-8")


def table(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def rows(log, *options):
    return table(export(log, "csv", *options))


def lines_of(log):
    """The log's text form, one object a line."""
    return [json.loads(line) for line in export(log, "jsonl").splitlines()]


def import_lines(folder, lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = replay("import", "-", str(folder), stdin=text.encode("utf-8"))
    assert done.returncode == 0, done.stderr
    return folder


class LogTestCase(unittest.TestCase):
    """Has a folder for each class and one for each test."""

    @classmethod
    def setUpClass(cls):
        cls.shared = cls.new_folder(cls.addClassCleanup)

    def setUp(self):
        self.folder = self.new_folder(self.addCleanup)

    @staticmethod
    def new_folder(add_cleanup):
        folder = tempfile.TemporaryDirectory()
        add_cleanup(folder.cleanup)
        return pathlib.Path(folder.name)

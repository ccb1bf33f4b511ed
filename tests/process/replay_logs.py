"""Logs for the tests of blockx-replay: recorded by blockx-sim, changed by way of the text form."""

import csv
import functools
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


# What the shipped scenarios leave out: streams that are paused, subcalls, several calls at once on an executor.
STREAMS = {
    "executorCount": 3, "executorMaxConcurrentCalls": 2, "worker": {"taskSlots": 8}, "streamBuild": {"maxBufferedCalls": 4},
    "workload": [{
        "name": "streams", "arrivals": {"type": "poisson", "rate": "6/s"}, "duration": "15s",
        "task": {
            "builder": {"duration": "20ms", "stream": {"batchSize": 3, "batchGap": "5ms"}},
            "calls": {"count": 9, "duration": {"type": "exponential", "mean": "40ms"}, "failure": "5%",
                      "subcalls": {"count": 1, "duration": "10ms"}},
            "writer": {"duration": "5ms"},
        },
    }],
}


def record(folder, scenario, *changes):
    """Runs a scenario on one Worker; the log, and the run's results as blockx-sim tells them."""
    if not isinstance(scenario, str):
        (folder / "scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
        scenario = folder / "scenario.json"
    settings = [part for change in ("fleet.workers=1", "warmup=0s", *changes) for part in ("--set", change)]
    done = subprocess.run(
        [SIM, "run", str(SCENARIOS / scenario), *settings, "--quiet", "--json", "-", "--csv", str(folder / "tables"),
         "--record", str(folder / "logs")], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return folder / "logs" / "worker-0", json.loads(done.stdout)


@functools.cache
def export(log, form, *options):
    """What an export of a log, which stays as it is, writes; nothing may have been wrong with it."""
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

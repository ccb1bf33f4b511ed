"""`blockx-sim run`, `validate`, `schema` and `list` as a user meets them: files, exit codes, messages."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["BLOCKX_SIM"]
SCENARIOS = pathlib.Path(os.environ["BLOCKX_SCENARIOS"])
QUICKSTART = str(SCENARIOS / "quickstart.json")


class RunCommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sim(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, encoding="utf-8", check=False)

    def scenario(self, text):
        file = self.folder / "scenario.json"
        file.write_text(text, encoding="utf-8")
        return str(file)

    def results(self, *arguments):
        done = self.sim("run", *arguments, "--json", "-")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    # ---- Results ----

    def test_the_summary_is_for_people(self):
        done = self.sim("run", QUICKSTART)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("arrived", "waiting for a slot", "p99.9", "executor-task permits", "x real time", "digest"):
            self.assertIn(words, done.stdout)

    def test_json_on_stdout_stands_alone(self):
        done = self.sim("run", QUICKSTART, "--json", "-")
        results = json.loads(done.stdout)
        self.assertEqual(results["tasks"]["arrived"], results["tasks"]["succeeded"])
        self.assertGreater(results["latencyMs"]["total"]["p99"], 0)

    def test_the_same_seed_gives_the_same_bytes(self):
        files = [self.folder / name for name in ("one.json", "two.json", "other.json")]
        for file, seed in zip(files, ("5", "5", "6")):
            self.assertEqual(self.sim("run", QUICKSTART, "--seed", seed, "--json", str(file), "--quiet").stdout, "")
        one, two, other = (file.read_bytes() for file in files)
        self.assertEqual(one, two)
        self.assertNotEqual(json.loads(one)["digest"], json.loads(other)["digest"])

    def test_set_changes_a_field_and_may_be_repeated(self):
        results = self.results(QUICKSTART, "--set", "workload.0.duration=\"10s\"", "--set", "warmup=0s")
        self.assertLess(results["tasks"]["arrived"], 300)
        self.assertEqual(results["tasks"]["warmup"], 0)

    def test_csv_has_a_row_for_each_task(self):
        tables = self.folder / "tables"
        results = self.results(QUICKSTART, "--csv", str(tables))
        with open(tables / "tasks.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(sum(row["measured"] == "1" for row in rows), results["tasks"]["arrived"])
        self.assertEqual(len({row["task"] for row in rows}), len(rows))
        with open(tables / "timeseries.csv", encoding="utf-8", newline="") as file:
            seconds = [int(row["second"]) for row in csv.DictReader(file)]
        self.assertEqual(seconds, sorted(set(seconds)))

    # ---- Exit codes ----

    def test_a_missed_objective_is_exit_1(self):
        done = self.sim("run", QUICKSTART, "--set", "slo=[\"p50(total) <= 1us\"]")
        self.assertEqual(done.returncode, 1)
        self.assertIn("MISSED", done.stdout)

    def test_all_errors_of_a_scenario_are_told_and_are_exit_2(self):
        file = self.scenario('{"workload": [], "fleat": {}, "warmup": "soon"}')
        for command in ("run", "validate"):
            done = self.sim(command, file)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 3, done.stderr)
            for path in ("/workload", "/fleat", "/warmup"):
                self.assertTrue(any(line.startswith(f"{file}: {path}: ") for line in lines), done.stderr)

    def test_bad_usage_is_exit_2(self):
        for arguments in ((), ("run",), ("run", QUICKSTART, "--sead", "1"), ("run", QUICKSTART, "--seed", "x"), ("rum",)):
            self.assertEqual(self.sim(*arguments).returncode, 2, arguments)

    def test_a_bad_trace_row_is_named_by_its_line(self):
        (self.folder / "trace.csv").write_text("at,size\n1,2\n\n# a comment\n2,many\n", encoding="utf-8")
        file = self.scenario(
            '{"workload": [{"name": "t", "arrivals": {"type": "trace", "file": "trace.csv", "arrival": "at"},'
            ' "task": {"calls": {"duration": "1ms*size"}}}]}')
        for command in ("run", "validate"):
            done = self.sim(command, file)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("trace.csv:5", done.stderr)

    def test_a_result_that_cannot_be_written_is_exit_3(self):
        self.assertEqual(self.sim("run", QUICKSTART, "--json", str(self.folder / "no" / "file")).returncode, 3)
        self.assertEqual(self.sim("run", QUICKSTART, "--csv", QUICKSTART).returncode, 3)

    # ---- The other commands ----

    def test_every_shipped_scenario_is_valid_and_listed(self):
        listed = self.sim("list")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        for file in SCENARIOS.glob("*.json"):
            if file.name == "schema.json":
                continue
            self.assertEqual(self.sim("validate", str(file)).returncode, 0, file)
            self.assertIn(f"  {file.name} ", listed.stdout)

    def test_the_shipped_schema_is_the_program_s(self):
        self.assertEqual(self.sim("schema").stdout, (SCENARIOS / "schema.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()

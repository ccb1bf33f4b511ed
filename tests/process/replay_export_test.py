"""`blockx-replay export --format csv` and `perfetto`: what is told agrees with what was simulated (docs/replay-export.md)."""

import collections
import unittest

from replay_logs import LogTestCase, export, import_lines, lines_of, record, replay, rows, table

STEPS = ("waiting_for_slot_us", "activation_us", "waiting_for_builder_permit_us", "building_us",
         "waiting_for_executors_us", "calls_us", "waiting_for_plugin_permit_us", "writing_us")
SHORT = 'workload.0.duration="40s"'


class RecordedCase(LogTestCase):
    """A burst of tasks: some are refused, some fail."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log, cls.results = record(cls.shared, "burst.json", SHORT, "worker.taskSlots=30")


def without(row, *columns):
    return {column: value for column, value in row.items() if column not in columns}


def middle_of(log):
    """The text form from a snapshot in the middle on: a log that begins when tasks are under way."""
    lines = lines_of(log)
    places = [place for place, line in enumerate(lines) if "snapshot" in line]
    return [lines[0], *lines[places[len(places) // 2]:]]


class CsvTest(RecordedCase):
    def test_it_counts_what_the_simulator_counts(self):
        tasks = self.results["tasks"]
        counts = collections.Counter((row["state"], row["failure_code"]) for row in rows(self.log))
        self.assertEqual(counts.pop(("SUCCEEDED", "")), tasks["succeeded"])
        self.assertGreater(tasks["refused"], 0)
        self.assertEqual(counts.pop(("REFUSED", "NO_SLOT")), tasks["refused"] + tasks["retriedRequests"])
        self.assertGreater(tasks["failed"], 0)
        self.assertEqual({code: count for (_, code), count in counts.items()}, tasks["failedBy"])

    def test_each_step_is_the_simulators(self):
        simulated = {}
        for row in table((self.shared / "tables" / "tasks.csv").read_text("utf-8")):
            simulated[row["task"]] = row
        runs = [row for row in rows(self.log) if row["state"] != "REFUSED"]
        # The simulator counts from the moment when its clients begin.
        start = int(runs[0]["accepted_us"]) - int(simulated[runs[0]["task_id"]]["accepted_us"])
        compared = 0
        for row in runs:
            other = simulated[row["task_id"]]
            for column in other:
                if column.endswith("_us") and column in row:
                    told = row[column] and str(int(row[column]) - start)
                    self.assertEqual(told, other[column], (row["task_id"], column))
                    compared += 1
            self.assertEqual([row["calls_total"], row["calls_failed"], row["calls_retried"]],
                             [other["calls"], other["calls_failed"], other["calls_retried"]])
        self.assertEqual(compared, 10 * len(runs))

    def test_the_steps_add_up_to_the_total_and_the_mean_is_the_reports(self):
        totals = []
        for row in rows(self.log):
            if row["state"] not in ("SUCCEEDED", "FAILED"):
                continue
            self.assertEqual(sum(int(row[step]) for step in STEPS if row[step]), int(row["total_us"]))
            if row["state"] == "SUCCEEDED":
                totals.append(int(row["total_us"]))
        self.assertAlmostEqual(sum(totals) / len(totals) / 1000, self.results["latencyMs"]["total"]["mean"])

    def test_one_task_has_its_rows_alone(self):
        refused = next(row["task_id"] for row in rows(self.log) if row["state"] == "REFUSED")
        told = rows(self.log, "--task", refused)
        self.assertEqual({row["task_id"] for row in told}, {refused})
        self.assertEqual(told, [row for row in rows(self.log) if row["task_id"] == refused])

    def test_an_unknown_task_is_bad_usage(self):
        done = replay("export", str(self.log), "--format", "csv", "--task", "nobody")
        self.assertEqual((done.returncode, done.stderr), (2, b"task nobody: the log has nothing of it\n"))

    def test_a_span_has_what_touches_it(self):
        told = rows(self.log, "--from", "+10s", "--to", "+12s")
        for row in told:
            self.assertLessEqual(int(row["requested_us"]), 12_000_000)
            if row["state"] != "RUNNING":
                self.assertGreaterEqual(int(row["ended_us"] or row["requested_us"]), 10_000_000)
        everything = {(row["task_id"], row["run"]): row for row in rows(self.log)}
        for row in told:
            if row["state"] in ("SUCCEEDED", "FAILED"):
                self.assertEqual(row, everything[row["task_id"], row["run"]])

    def test_what_has_not_ended_is_running_with_its_times_so_far(self):
        everything = {(row["task_id"], row["run"]): row for row in rows(self.log)}
        running = [row for row in rows(self.log, "--to", "+12s") if row["state"] == "RUNNING"]
        self.assertGreater(len(running), 0)
        for row in running:
            later = everything[row["task_id"], row["run"]]
            self.assertEqual((row["ended_us"], row["total_us"]), ("", ""))
            for column in ("slot", "requested_us", "accepted_us", "activated_us", "builder_granted_us", "built_us",
                           "plugin_granted_us", "first_dispatch_us"):
                self.assertIn(row[column], ("", later[column]), column)

    def test_a_log_that_begins_in_the_middle_tells_what_the_whole_one_tells(self):
        log, _ = record(self.folder, "burst.json", 'workload.0.duration="8m"')
        whole = {(row["task_id"], row["run"]): row for row in rows(log)}
        told = [row for row in rows(import_lines(self.folder / "middle", middle_of(log))) if row["run"]]
        begun_before = 0
        for row in told:
            other = whole[row["task_id"], row["run"]]
            # The clients' requests and the dispatches of before are not in this log.
            hidden = ("requested_us", "first_dispatch_us", "waiting_for_slot_us", "waiting_for_executors_us", "calls_us",
                      "total_us")
            self.assertEqual(without(row, *hidden), without(other, *hidden))
            begun_before += row["requested_us"] == ""
        self.assertGreater(begun_before, 0)

    def test_a_damaged_log_is_told_as_far_as_it_can_be_read(self):
        log, _ = record(self.folder, "burst.json", 'workload.0.duration="8m"')
        whole = {(row["task_id"], row["run"]): row for row in rows(log) if row["run"]}
        (segment,) = log.glob("*.blxlog")
        content = bytearray(segment.read_bytes())
        middle = len(content) // 5
        content[middle:middle + 100] = bytes(100)
        segment.write_bytes(content)
        done = replay("export", str(log), "--format", "csv")
        self.assertEqual(done.returncode, 4)
        self.assertNotEqual(done.stderr, b"")
        told = [row for row in table(done.stdout.decode("utf-8")) if row["run"]]
        self.assertGreater(len(told), len(whole) // 3)
        states = collections.Counter()
        for row in told:
            states[row["state"]] += 1
            other = whole[row["task_id"], row["run"]]
            self.assertIn(row["state"], ("UNKNOWN", other["state"]))
            self.assertIn(row["slot"], ("", other["slot"]))
            for column in ("accepted_us", "ended_us"):
                self.assertIn(row[column], ("", other[column]))
        self.assertGreater(states["UNKNOWN"], 0)
        self.assertLess(states["UNKNOWN"], len(told) // 10)

    def test_any_text_in_an_id_is_one_field(self):
        names = ['a,b', 'say "x"', "two\nlines", "\u00fc\u2028", "=1+1"]
        lines = lines_of(self.log)
        ids = {f"a{number + 1}": name for number, name in enumerate(names)}
        for line in lines:
            for event in line.get("event", {}).values():
                if event.get("taskId") in ids:
                    event["taskId"] = ids[event["taskId"]]
        # These digests are another history's, and it is said so.
        done = replay("export", str(import_lines(self.folder / "odd", lines)), "--format", "csv")
        self.assertEqual(done.returncode, 1)
        text = done.stdout.decode("utf-8")
        told = table(text)
        self.assertLess(set(names), {row["task_id"] for row in told})
        self.assertTrue(all(None not in row and None not in row.values() for row in told))


class OutputTest(RecordedCase):
    def test_a_file_gets_what_stdout_gets(self):
        for form in ("jsonl", "csv"):
            file = self.folder / form
            self.assertEqual(export(self.log, form, "--out", str(file)), "")
            self.assertEqual(file.read_text("utf-8"), export(self.log, form))

    def test_a_file_that_cannot_be_written_is_named(self):
        done = replay("export", str(self.log), "--format", "csv", "--out", str(self.folder / "no" / "file"))
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"/no/file: cannot be written", done.stderr)

    def test_a_full_disk_is_no_success(self):
        done = replay("export", str(self.log), "--format", "csv", "--out", "/dev/full")
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"/dev/full: writing failed", done.stderr)

    def test_the_lossless_form_takes_no_part_of_a_log(self):
        self.assertEqual(replay("export", str(self.log), "--to", "+1s").returncode, 2)

    def test_an_unknown_form_is_bad_usage(self):
        self.assertEqual(replay("export", str(self.log), "--format", "xml").returncode, 2)


if __name__ == "__main__":
    unittest.main()

"""`blockx-replay export`: what is told agrees with what was simulated (docs/replay-export.md)."""

import collections
import json
import unittest

from replay_logs import STREAMS, LogTestCase, export, import_lines, lines_of, record, replay, rows, table

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


ODD_IDS = ['a,b', 'say "x"', "two\nlines", "\u00fc\u2028", "=1+1", "</script><img src=x onerror=alert(1)>"]


def renamed(log):
    """The text form with other ids for the first tasks; its digests stay, and so are another history's."""
    lines = lines_of(log)
    ids = {f"a{number + 1}": name for number, name in enumerate(ODD_IDS)}
    for line in lines:
        for event in line.get("event", {}).values():
            if event.get("taskId") in ids:
                event["taskId"] = ids[event["taskId"]]
    return lines


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

    def test_any_text_in_an_id_is_one_field(self):
        done = replay("export", str(import_lines(self.folder / "odd", renamed(self.log))), "--format", "csv")
        self.assertEqual(done.returncode, 1)
        text = done.stdout.decode("utf-8")
        told = table(text)
        self.assertLess(set(ODD_IDS), {row["task_id"] for row in told})
        self.assertTrue(all(None not in row and None not in row.values() for row in told))


def events(log, kind, *options):
    return [event for event in trace(log, *options)["traceEvents"] if event["ph"] == kind]


def trace(log, *options):
    return json.loads(export(log, "perfetto", *options))


def track_of(event):
    return event["pid"], event["tid"]


def spans_by_track(told):
    tracks = collections.defaultdict(list)
    for event in told["traceEvents"]:
        if event["ph"] == "X":
            tracks[track_of(event)].append(event)
    return tracks


def tracks_named(log, name):
    return [track_of(event) for event in events(log, "M")
            if event["name"] == "thread_name" and event["args"]["name"].startswith(name)]


def assert_nested(test, spans):
    """Each lies within the one before that is still there, or after it."""
    inside = []
    for span in sorted(spans, key=lambda span: span["ts"]):  # stable: at one time the outer one was written first
        while inside and inside[-1]["ts"] + inside[-1]["dur"] <= span["ts"]:
            inside.pop()
        if inside:
            test.assertLessEqual(span["ts"] + span["dur"], inside[-1]["ts"] + inside[-1]["dur"], (inside[-1], span))
        inside.append(span)


class PerfettoTest(RecordedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.shared / "streams"
        folder.mkdir()
        cls.streams, _ = record(folder, STREAMS)
        folder = cls.shared / "slow"
        folder.mkdir()
        cls.slow, _ = record(folder, "slow-executors.json", 'workload.0.duration="90s"')

    def test_spans_nest_on_each_track(self):
        for log in (self.log, self.streams, self.slow, import_lines(self.folder / "middle", middle_of(self.log))):
            for options in ((), ("--from", "+10s", "--to", "+12s")):
                for spans in spans_by_track(trace(log, *options)).values():
                    assert_nested(self, spans)

    def test_spans_nest_though_the_clock_was_set_back(self):
        lines = lines_of(self.log)
        for number, line in enumerate(lines):
            if number % 7 == 0 and "event" in line:
                line["nowUs"] = str(max(0, int(line.get("nowUs", "0")) - 300_000))
        # These digests are another history's, and it is said so.
        done = replay("export", str(import_lines(self.folder / "back", lines)), "--format", "perfetto")
        self.assertEqual(done.returncode, 1)
        for spans in spans_by_track(json.loads(done.stdout)).values():
            assert_nested(self, spans)

    def test_each_run_is_a_span_on_its_slot(self):
        told = {(row["task_id"], row["run"]): row for row in rows(self.log) if row["run"]}
        names = {track_of(event): event["args"]["name"] for event in events(self.log, "M")
                 if event["name"] == "thread_name"}
        spans = [event for event in events(self.log, "X") if "state" in event.get("args", {})]
        self.assertEqual(len(spans), len(told))
        for span in spans:
            row = told[span["name"], str(span["args"]["run"])]
            self.assertEqual((span["ts"], span["ts"] + span["dur"]), (int(row["accepted_us"]), int(row["ended_us"])))
            self.assertEqual(names[track_of(span)], "slot " + row["slot"])
            self.assertEqual(span["args"]["state"], row["state"])
            self.assertEqual(span["args"].get("failureCode", ""), row["failure_code"])

    def test_the_steps_within_a_run_are_the_tables(self):
        row = next(row for row in rows(self.log) if row["state"] == "SUCCEEDED")
        spans = {event["name"]: event["dur"] for event in events(self.log, "X", "--task", row["task_id"])}
        for name, column in (("activation", "activation_us"), ("building", "building_us"), ("calls", "calls_us"),
                             ("writing", "writing_us")):
            self.assertEqual(str(spans[name]), row[column])

    def test_levels_reach_what_the_simulator_measured(self):
        reached = collections.defaultdict(int)
        for event in events(self.log, "C"):
            reached[event["name"]] = max(reached[event["name"]], event["args"]["value"])
        in_use, queues = self.results["utilisation"], self.results["queues"]
        self.assertEqual(reached, {
            "in use: slots": in_use["slots"]["max"],
            "in use: executors": in_use["executors"]["max"],
            "in use: builder permits": in_use["builder"]["max"],
            "in use: scan permits": in_use["scan"]["max"],
            "in use: executor-task permits": in_use["executorTasks"]["max"],
            "in use: plugin permits": in_use["plugin"]["max"],
            "waiting: tasks for a builder permit": queues["builder"]["max"],
            "waiting: tasks for a scan permit": queues["scan"]["max"],
            "waiting: tasks for an executor-task permit": queues["executorTasks"]["max"],
            "waiting: calls for an executor": queues["calls"]["max"],
            "waiting: tasks for a plugin permit": queues["plugin"]["max"],
        })

    def test_a_refusal_points_to_those_who_held_the_slots(self):
        refusals = [event for event in events(self.log, "i") if event["name"] == "refused: NO_SLOT"]
        self.assertEqual(len(refusals), sum(row["failure_code"] == "NO_SLOT" for row in rows(self.log)))
        (track,) = tracks_named(self.log, "refused requests")
        begins = collections.Counter(event["ts"] for event in events(self.log, "s") if track_of(event) == track)
        for refusal in refusals:
            self.assertGreaterEqual(begins[refusal["ts"]], 8)
        held = [event for event in events(self.log, "X") if event["name"] == "slots held"]
        for span in held:
            self.assertEqual(span["args"]["slotsHeld"], 30)
            self.assertEqual(len(set(span["args"]["heldLongestBy"].split())), 8)

    def test_arrows_lead_from_span_to_span(self):
        for log in (self.log, self.streams):
            spans = spans_by_track(trace(log))
            begins = {event["id"]: event for event in events(log, "s")}
            ends = {event["id"]: event for event in events(log, "f")}
            self.assertGreater(len(begins), 0)
            self.assertEqual(set(begins), set(ends))
            for end in (*begins.values(), *ends.values()):
                self.assertTrue(any(span["ts"] <= end["ts"] <= span["ts"] + span["dur"] for span in spans[track_of(end)]))

    def test_calls_stand_on_their_executor_with_their_outcome(self):
        calls = [event for event in events(self.streams, "X") if "outcome" in event.get("args", {})]
        self.assertEqual({track_of(call) for call in calls}, set(tracks_named(self.streams, "executor")) - set(
            track_of(event) for event in events(self.streams, "X") if "generation" in event.get("args", {})))
        outcomes = collections.Counter(call["args"]["outcome"] for call in calls)
        self.assertEqual(set(outcomes), {"succeeded", "failed"})
        counted = sum(int(row["calls_total"]) + int(row["calls_retried"]) for row in rows(self.streams) if row["run"])
        self.assertEqual(len(calls), counted)
        subcalls = [call for call in calls if "subcallOf" in call["args"]]
        self.assertEqual(len(events(self.streams, "s")), len({call["args"]["call"] for call in subcalls}))

    def test_streams_are_marked(self):
        marks = {event["name"] for event in events(self.streams, "i")}
        self.assertLessEqual({"stream starts", "stream is paused", "stream goes on", "stream ends"}, marks)

    def test_processes_of_executors_are_spans_with_their_end(self):
        spans = events(self.slow, "X")
        killed = [span for span in spans if "killReason" in span.get("args", {})]
        self.assertGreater(len(killed), 0)
        self.assertEqual(len(killed), sum(span["name"] == "killed: CANCEL_GRACE" for span in spans))
        self.assertEqual(len(killed), sum(event["name"] == "exit" for event in events(self.slow, "i")))
        self.assertTrue(all(span["args"]["exitReason"] for span in killed))

    def test_a_part_of_a_log_has_that_part_alone(self):
        for event in trace(self.log, "--from", "+10s", "--to", "+12s")["traceEvents"]:
            if "ts" in event:
                self.assertGreaterEqual(event["ts"], 10_000_000)
                self.assertLessEqual(event["ts"] + event.get("dur", 0), 12_000_000)

    def test_any_text_in_an_id_is_sound_json(self):
        odd = import_lines(self.folder / "odd", renamed(self.log))
        told = json.loads(replay("export", str(odd), "--format", "perfetto").stdout.decode("utf-8"))
        self.assertLess(set(ODD_IDS), {event["args"]["task"] for event in told["traceEvents"] if "task" in event.get("args", {})})


def place_of_data(page):
    return page.split('<script id="data" type="application/json">')[1].split("</script>")[0]


def data_of(page):
    return json.loads(place_of_data(page))


class HtmlTest(RecordedCase):
    def test_the_page_names_nothing_to_load(self):
        page = export(self.log, "html")
        for word in ("http:", "https:", "src=", "href=", "url(", "@import", "fetch(", "import("):
            self.assertNotIn(word, page)

    def test_its_data_cannot_end_its_place(self):
        odd = import_lines(self.folder / "odd", renamed(self.log))
        page = replay("export", str(odd), "--format", "html").stdout.decode("utf-8")
        self.assertEqual((page.count("<script"), page.count("</script"), page.count("<img")), (2, 2, 0))
        self.assertNotIn("<", place_of_data(page))
        self.assertLess(set(ODD_IDS), set(data_of(page)["texts"]))

    def test_it_has_each_run_and_refusal(self):
        data = data_of(export(self.log, "html"))
        self.assertEqual(data["runs"]["rows"], sum(row["run"] != "" for row in rows(self.log)))
        self.assertEqual(data["refusals"]["rows"], sum(row["state"] == "REFUSED" for row in rows(self.log)))

    def test_one_task_alone_can_be_shown(self):
        task = next(row["task_id"] for row in rows(self.log) if row["state"] == "FAILED")
        data = data_of(export(self.log, "html", "--task", task))
        self.assertEqual((data["runs"]["rows"], data["oneTask"]), (1, True))
        self.assertLess(data["last"] - data["first"], 30_000_000)


class DamagedLogTest(LogTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log, _ = record(cls.shared, "burst.json", 'workload.0.duration="8m"')
        cls.whole = {(row["task_id"], row["run"]): row for row in rows(cls.log) if row["run"]}
        (segment,) = cls.log.glob("*.blxlog")
        content = bytearray(segment.read_bytes())
        place = len(content) // 5
        content[place:place + 100] = bytes(100)
        segment.write_bytes(content)

    def export_damaged(self, form):
        done = replay("export", str(self.log), "--format", form)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"are damaged", done.stderr)
        return done.stdout.decode("utf-8")

    def test_what_can_be_read_is_told(self):
        told = [row for row in table(self.export_damaged("csv")) if row["run"]]
        self.assertGreater(len(told), len(self.whole) // 3)
        states = collections.Counter()
        for row in told:
            states[row["state"]] += 1
            other = self.whole[row["task_id"], row["run"]]
            self.assertIn(row["state"], ("UNKNOWN", other["state"]))
            self.assertIn(row["slot"], ("", other["slot"]))
            for column in ("accepted_us", "ended_us"):
                self.assertIn(row[column], ("", other[column]))
        self.assertGreater(states["UNKNOWN"], 0)
        self.assertLess(states["UNKNOWN"], len(told) // 10)

    def test_the_drawings_say_where_records_are_lost(self):
        spans = [event for event in json.loads(self.export_damaged("perfetto"))["traceEvents"] if event["ph"] == "X"]
        (lost,) = (span for span in spans if span["name"] == "records are lost")
        gaps = data_of(self.export_damaged("html"))["gaps"]
        self.assertEqual((gaps["rows"], gaps["begin"], gaps["length"]), (1, lost["ts"], lost["dur"]))
        # What was dispatched before and has no end is drawn no further than that.
        for span in spans:
            if span.get("args", {}).get("outcome") == "unknown":
                self.assertEqual(span["ts"] + span["dur"], lost["ts"] + lost["dur"])

    def test_spans_nest(self):
        for spans in spans_by_track(json.loads(self.export_damaged("perfetto"))).values():
            assert_nested(self, spans)


class OutputTest(RecordedCase):
    def test_a_file_gets_what_stdout_gets(self):
        for form in ("jsonl", "csv", "perfetto", "html"):
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

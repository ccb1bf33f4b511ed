"""`blockx-replay` as its users meet it: logs, exit codes, messages, filters, and the way into text and back."""

import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPLAY = os.environ["BLOCKX_REPLAY"]
SIM = os.environ["BLOCKX_SIM"]
SCENARIOS = pathlib.Path(os.environ["BLOCKX_SCENARIOS"])
CORPUS = SCENARIOS.parent / "tests" / "replay" / "corpus" / "v1"

sys.path.insert(0, str(CORPUS.parent.parent))
import independent_reader  # noqa: E402  (it lies with the tests of replay)

SAME, DIFFERS, BAD_USE, LOST, DAMAGED, FAILED = range(6)
QUICKSTART = (str(SCENARIOS / "quickstart.json"), "--set", 'workload.0.duration="5s"', "--set", "warmup=0s", "--quiet")


def segment(log):
    (file,) = pathlib.Path(log).iterdir()
    return file


class ReplayTestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.recordings = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.recordings.cleanup)
        subprocess.run([SIM, "run", *QUICKSTART, "--record", cls.recordings.name], check=True)
        cls.log = pathlib.Path(cls.recordings.name) / "worker-0"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def replay(self, *arguments, text=None):
        return subprocess.run([REPLAY, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8",
                              check=False)

    def done(self, *arguments, text=None, code=SAME):
        """What the command printed; it must end with that code, and silently."""
        done = self.replay(*arguments, text=text)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return done.stdout

    def refused(self, *arguments, text=None, code=BAD_USE):
        """What the command complained of; it must print nothing else."""
        done = self.replay(*arguments, text=text)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr

    def exported(self, log):
        return [json.loads(line) for line in self.done("export", log).splitlines()]

    def imported(self, lines):
        log = self.folder / "imported"
        self.done("import", "-", log, text="".join(json.dumps(line) + "\n" for line in lines))
        return log

    def changed(self, log, change):
        """A copy whose segment's bytes went through `change`."""
        copy = self.folder / "changed"
        shutil.copytree(log, copy)
        file = segment(copy)
        file.write_bytes(change(bytearray(file.read_bytes())))
        return copy

    def torn(self, log, size=4000):
        return self.changed(log, lambda data: data[:size])

    def damaged(self):
        """A log of three chunks whose second one is damaged; a snapshot stands behind it."""
        file = (CORPUS / "torn")
        whole = self.folder / "whole"
        self.assertEqual(self.replay("recover", file, whole).returncode, LOST)

        def change(data):
            data[len(data) // 2] ^= 1
            return data
        return self.changed(whole, change)

    def altered(self, log, sequence, alter):
        """A log with a changed record and sound checksums."""
        lines = self.exported(log)
        for line in lines:
            if line.get("sequence") == str(sequence):
                alter(line)
        return self.imported(lines)


class InfoTest(ReplayTestCase):
    def test_it_says_what_is_in_a_log(self):
        text = self.done("info", self.log)
        for words in ("worker-0 (simulated)", "records ", "submitTask", "worker.taskSlots = 20", "damage          none"):
            self.assertIn(words, text)

    def test_json_counts_the_events(self):
        info = json.loads(self.done("info", self.log, "--json"))
        self.assertEqual(info["format"], 1)
        self.assertEqual(info["world"], "SIMULATION")
        self.assertEqual(info["records"], sum(info["events"].values()))
        self.assertEqual(info["lastSequence"], info["records"])
        self.assertEqual(info["tasks"], info["events"]["submitTask"])
        self.assertEqual(info["config"]["executorCount"], 4)
        self.assertEqual(info["bytes"], segment(self.log).stat().st_size)
        self.assertEqual((info["damage"], info["notEnded"]), ([], []))

    def test_of_a_damaged_log_it_says_what_is_damaged(self):
        log = self.damaged()
        done = self.replay("info", log, "--json")
        self.assertEqual(done.returncode, DAMAGED)
        (damage,) = json.loads(done.stdout)["damage"]
        self.assertEqual(damage["file"], str(segment(log)))
        self.assertGreater(damage["offset"], 0)

    def test_of_a_torn_log_it_says_which_segment_was_not_ended(self):
        done = self.replay("info", CORPUS / "torn", "--json")
        self.assertEqual(done.returncode, DAMAGED)
        self.assertEqual(json.loads(done.stdout)["notEnded"], [str(segment(CORPUS / "torn"))])

    def test_one_segment_is_a_log_too(self):
        info = json.loads(self.done("info", CORPUS / "segments" / "segment-00000000000000000100.blxlog", "--json"))
        self.assertEqual((info["firstSequence"], info["lastSequence"]), (101, 200))

    def test_where_there_is_no_log_the_one_below_is_named(self):
        self.assertIn("is it " + str(self.log), self.refused("info", self.log.parent))

    def test_what_is_no_log_is_told(self):
        file = self.folder / "file"
        file.write_text("some text that is longer than the header of a block, " * 3, encoding="utf-8")
        self.assertIn("no segment has a header", self.refused("info", file, code=DAMAGED))
        self.assertIn("no such file or folder", self.refused("info", self.folder / "nothing"))


class VerifyTest(ReplayTestCase):
    def test_a_sound_log_is_verified(self):
        records = len(self.exported(self.log)) - 2
        self.assertIn(f"{records} records and 0 snapshots verified", self.done("verify", self.log))

    def test_snapshots_are_verified_too(self):
        result = json.loads(self.done("verify", CORPUS / "segments", "--json"))
        self.assertEqual((result["verifiedRecords"], result["verifiedSnapshots"]), (350, 3))
        self.assertIsNone(result["divergence"])

    def test_a_divergence_is_named_with_what_was_found_and_expected(self):
        def later(line):
            line["nowUs"] = str(int(line["nowUs"]) + 1)
        log = self.altered(self.log, 7, later)
        done = self.replay("verify", log)
        self.assertEqual(done.returncode, DIFFERS)
        self.assertTrue(done.stdout.startswith("DIVERGES at record 7: "), done.stdout)
        for words in ("found, digest ", "expected, digest ", "6 records and 0 snapshots verified"):
            self.assertIn(words, done.stdout)

    def test_json_has_both_sides_of_a_divergence(self):
        lines = self.exported(CORPUS / "full")
        altered = next(line for line in lines[50:] if "commands" in line)
        altered["digest"] = "0123456789abcdef"
        done = self.replay("verify", self.imported(lines), "--json")
        self.assertEqual(done.returncode, DIFFERS)
        divergence = json.loads(done.stdout)["divergence"]
        self.assertEqual(str(divergence["sequence"]), altered["sequence"])
        self.assertEqual(divergence["expected"], altered)
        self.assertEqual(divergence["step"]["commands"], altered["commands"])

    def test_a_snapshot_of_another_state_is_a_divergence(self):
        lines = self.exported(CORPUS / "segments")
        second = [line for line in lines if "snapshot" in line][1]
        second["snapshot"]["digest"] = "1"
        done = self.replay("verify", self.imported(lines))
        self.assertEqual(done.returncode, DIFFERS)
        self.assertIn("the snapshot after record 100 has another state", done.stdout)

    def test_behind_damage_the_rest_is_verified(self):
        done = self.replay("verify", self.damaged(), "--json")
        self.assertEqual(done.returncode, DAMAGED)
        result = json.loads(done.stdout)
        self.assertEqual((result["verifiedRecords"], result["unverifiedRecords"]), (200, 100))

    def test_without_its_first_snapshot_it_begins_at_the_next(self):
        lines = self.exported(CORPUS / "segments")
        lines[1]["snapshot"]["state"] = "AAAA"
        done = self.replay("verify", self.imported(lines), "--json")
        self.assertEqual(done.returncode, DAMAGED)
        result = json.loads(done.stdout)
        self.assertEqual((result["verifiedRecords"], result["unverifiedRecords"]), (250, 100))

    def test_a_torn_log_is_verified_up_to_its_end(self):
        done = self.replay("verify", CORPUS / "torn")
        self.assertEqual(done.returncode, DAMAGED)
        self.assertIn("300 records and 3 snapshots verified", done.stdout)
        self.assertIn("was not ended", done.stdout)

    def test_a_span_is_verified_from_the_snapshot_before_it(self):
        result = json.loads(self.done("verify", CORPUS / "segments", "--from", 250, "--to", 320, "--json"))
        self.assertEqual(result["verifiedRecords"], 120)


class ShowTest(ReplayTestCase):
    def sequences(self, *arguments, log=None):
        return [int(json.loads(line)["sequence"]) for line in self.done("show", log or self.log, *arguments,
                                                                        "--json").splitlines()]

    def test_each_step_has_event_reply_and_commands(self):
        lines = self.done("show", self.log, "--to", 8).splitlines()
        self.assertEqual(lines[0], "1  +0.000000s  start")
        self.assertEqual(lines[1], "    > spawnExecutor generation=1")
        self.assertIn("    = task a1 ALLOCATED slot-0", lines)

    def test_json_has_what_the_log_has_and_what_came_of_it(self):
        shown = [json.loads(line) for line in self.done("show", CORPUS / "full", "--json").splitlines()]
        self.assertEqual(shown, [line for line in self.exported(CORPUS / "full") if "event" in line])

    def test_a_number_names_a_record(self):
        self.assertEqual(self.sequences("--from", 10, "--to", 12), [10, 11, 12])

    def test_a_time_counts_from_the_start(self):
        us = {int(line["sequence"]): int(line.get("nowUs", 0)) for line in self.exported(self.log) if "event" in line}
        wanted = [sequence for sequence, at in us.items() if 1_000_000 <= at <= 1_500_000]
        self.assertTrue(wanted)
        self.assertEqual(self.sequences("--from", "+1s", "--to", "+1500ms"), wanted)
        self.assertEqual(self.sequences("--from", "1000000us", "--to", "1500000us"), wanted)

    def test_a_date_names_an_instant(self):
        log = CORPUS / "every-kind"  # recorded as if in production, from the thousandth second of 1970 on
        lines = [line for line in self.exported(log) if "event" in line]
        wanted = [int(line["sequence"]) for line in lines if int(line["nowUs"]) >= 1_005_000_000]
        self.assertTrue(wanted)
        self.assertEqual(self.sequences("--from", "1970-01-01T00:16:45Z", log=log), wanted)

    def test_a_task_s_steps_are_those_that_concern_it(self):
        shown = self.done("show", self.log, "--task", "a1", "--json").splitlines()
        events = [next(iter(json.loads(line)["event"])) for line in shown]
        self.assertEqual(events[0], "requestTaskSlot")
        self.assertEqual(events.count("callSucceeded"), 3)
        self.assertEqual(events[-1], "writerFinished")
        self.assertFalse([line for line in shown if '"a2"' in line])

    def test_kinds_may_be_several(self):
        text = self.done("show", self.log, "--kind", "start", "--kind", "submitTask", "--json")
        self.assertEqual({next(iter(json.loads(line)["event"])) for line in text.splitlines()}, {"start", "submitTask"})

    def test_an_unknown_kind_gets_the_nearest_one(self):
        done = self.replay("show", self.log, "--kind", "submitTsk")
        self.assertEqual(done.returncode, BAD_USE)
        self.assertIn("no event is called submitTsk; did you mean submitTask?", done.stderr)

    def test_what_names_no_moment_is_told(self):
        for moment in ("soon", "+soon", "2026-13-01T00:00:00Z", "2026-01-01T00:00:nanZ", "999999", "-1"):
            self.assertIn(f"{moment}: no ", self.refused("show", self.log, f"--from={moment}"))

    def test_behind_damage_it_goes_on(self):
        done = self.replay("show", self.damaged(), "--json")
        self.assertEqual(done.returncode, DAMAGED)
        self.assertIn("are damaged", done.stderr)
        self.assertEqual([int(json.loads(line)["sequence"]) for line in done.stdout.splitlines()],
                         [*range(1, 101), *range(201, 301)])

    def test_a_divergence_is_told_beside_the_steps(self):
        log = self.altered(self.log, 7, lambda line: line.update(digest="0123456789abcdef"))
        done = self.replay("show", log)
        self.assertEqual(done.returncode, DIFFERS)
        self.assertIn("record 7: ", done.stderr)

    def test_output_that_cannot_be_written_is_no_success(self):
        for command in ("show", "export"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([REPLAY, command, str(self.log)], stdout=full, check=False)
            self.assertEqual(done.returncode, FAILED, command)


class TailTest(ReplayTestCase):
    def test_it_shows_the_last_steps(self):
        shown = self.done("show", self.log, "--json").splitlines()
        self.assertEqual(self.done("tail", self.log, "--json").splitlines(), shown[-10:])
        self.assertEqual(self.done("tail", self.log, "-n", 3, "--json").splitlines(), shown[-3:])

    def test_of_a_short_log_it_shows_all(self):
        shown = self.done("show", self.log)
        self.assertEqual(self.done("tail", self.log, "-n", 1_000_000), shown)

    def test_it_follows_a_log_that_is_written(self):
        source = CORPUS / "segments"
        files = sorted(source.iterdir())
        log = self.folder / "growing"
        log.mkdir()
        shutil.copy(files[0], log)
        with subprocess.Popen([REPLAY, "tail", str(log), "-f", "-n", "1", "--json"], stdout=subprocess.PIPE,
                              encoding="utf-8") as tail:
            self.addCleanup(tail.kill)
            self.assertEqual(json.loads(tail.stdout.readline())["sequence"], "100")
            data = files[1].read_bytes()
            growing = log / files[1].name
            growing.write_bytes(data[:len(data) // 2])  # Torn, so far.
            with open(growing, "ab") as file:
                file.write(data[len(data) // 2:])
            for sequence in range(101, 201):
                self.assertEqual(json.loads(tail.stdout.readline())["sequence"], str(sequence))
            tail.kill()


class TextTest(ReplayTestCase):
    def test_a_log_comes_back_from_its_text_byte_for_byte(self):
        for log in (self.log, CORPUS / "every-kind", CORPUS / "full"):
            with self.subTest(log=log):
                copy = self.imported(self.exported(log))
                self.assertTrue(filecmp.cmp(segment(copy), segment(log), shallow=False))
                shutil.rmtree(copy)

    def test_a_text_comes_back_from_its_log(self):
        text = self.done("export", self.log, "--format", "jsonl")
        (self.folder / "text.jsonl").write_text(text, encoding="utf-8")
        self.done("import", self.folder / "text.jsonl", self.folder / "copy")
        self.assertEqual(self.done("export", self.folder / "copy"), text)

    def test_the_engine_makes_the_same_steps_of_the_text(self):
        for log in (self.log, CORPUS / "segments", CORPUS / "full"):
            text = self.done("export", log)
            engine = subprocess.run([SIM, "engine", "--state"], input=text, capture_output=True, encoding="utf-8",
                                    check=True)
            made = [json.loads(line) for line in engine.stdout.splitlines()]
            shown = [json.loads(line) for line in self.done("show", log, "--json").splitlines()]
            self.assertEqual(len(made), len(shown))
            for step, line in zip(made, shown):
                self.assertEqual(str(step["step"]), line["sequence"])
                self.assertEqual(step["commands"], line.get("commands", []))
                if "reply" in line and step["reply"] != {"tasks": []}:
                    self.assertEqual(step["reply"], line["reply"])
            states = {int(snapshot.get("sequence", 0)): int(snapshot["stateDigest"])
                      for snapshot in (json.loads(line).get("snapshot") for line in text.splitlines()) if snapshot}
            for sequence, state in states.items():
                if sequence > 0:
                    self.assertEqual(int(made[sequence - 1]["digest"], 16), state)

    def test_the_text_of_the_middle_of_a_log_has_the_state_to_begin_with(self):
        log = CORPUS / "segments" / "segment-00000000000000000200.blxlog"
        text = self.done("export", log)
        engine = subprocess.run([SIM, "engine"], input=text, capture_output=True, encoding="utf-8", check=True)
        steps = [json.loads(line)["step"] for line in engine.stdout.splitlines()]
        self.assertEqual(steps, list(range(201, 301)))

    def test_of_a_damaged_log_the_rest_is_exported(self):
        done = self.replay("export", self.damaged())
        self.assertEqual(done.returncode, DAMAGED)
        self.assertIn("are damaged", done.stderr)
        self.assertEqual(len([line for line in done.stdout.splitlines() if "snapshot" not in line]), 1 + 200)

    def test_an_unknown_form_is_bad_use(self):
        self.assertEqual(self.replay("export", self.log, "--format", "xml").returncode, BAD_USE)

    # ---- Import ----

    def import_refused(self, lines, code=BAD_USE):
        text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
        return self.refused("import", "-", self.folder / "imported", text=text, code=code)

    def test_a_line_that_is_no_line_is_named(self):
        lines = self.exported(self.log)[:5]
        self.assertIn("-, line 6: not JSON", self.import_refused([*lines, "nonsense\n"]))

    def test_a_missing_record_is_named(self):
        lines = self.exported(self.log)
        del lines[9]  # Record 8.
        self.assertIn("-, line 10: found record 9; expected record 8", self.import_refused(lines))

    def test_a_text_must_begin_as_a_log_does(self):
        header, snapshot, record, *_ = self.exported(self.log)
        self.assertIn("the text is empty", self.import_refused([]))
        self.assertIn("line 1: expected a line with a header first", self.import_refused([snapshot]))
        self.assertIn("line 2: a log begins with a snapshot", self.import_refused([header, record]))
        shutil.rmtree(self.folder / "imported")
        self.assertIn("line 2: a second header", self.import_refused([header, header]))

    def test_a_folder_that_has_a_log_is_left_as_it_is(self):
        before = segment(self.log).read_bytes()
        for command in ("recover", "redact"):
            self.assertIn("has a log already", self.refused(command, CORPUS / "full", self.log))
        self.assertEqual(segment(self.log).read_bytes(), before)

    def test_a_folder_that_cannot_be_made_is_a_failure(self):
        for command in ("recover", "redact"):
            self.assertIn("/proc/log: the folder cannot be made", self.refused(command, self.log, "/proc/log", code=FAILED))

    def test_a_text_that_is_not_there_is_told(self):
        self.assertIn("no-such-text: cannot be read", self.refused("import", "no-such-text", self.folder / "log"))


class RecoverTest(ReplayTestCase):
    def test_a_sound_log_is_copied(self):
        self.done("recover", self.log, self.folder / "copy")
        self.assertTrue(filecmp.cmp(segment(self.folder / "copy"), segment(self.log), shallow=False))

    def test_of_a_torn_log_the_beginning_is_kept(self):
        out = self.folder / "out"
        done = self.replay("recover", CORPUS / "torn", out, "--json")
        self.assertEqual(done.returncode, LOST)
        self.assertEqual(json.loads(done.stdout)["recordsKept"], 300)
        self.assertEqual(json.loads(self.done("verify", out, "--json"))["verifiedRecords"], 300)

    def test_what_was_lost_in_the_middle_is_named_and_the_rest_is_kept(self):
        out = self.folder / "out"
        done = self.replay("recover", self.damaged(), out, "--json")
        self.assertEqual(done.returncode, LOST)
        result = json.loads(done.stdout)
        self.assertEqual(result["recordsKept"], 200)
        self.assertEqual(result["lost"], [{"firstSequence": 101, "lastSequence": 200}])
        self.assertEqual(json.loads(self.done("verify", out, "--json"))["verifiedRecords"], 200)

    def test_people_are_told_what_was_lost(self):
        done = self.replay("recover", self.damaged(), self.folder / "out")
        self.assertIn("200 records kept\nLOST: records 101 to 200\ndamage\n", done.stdout)


class RedactTest(ReplayTestCase):
    def test_no_byte_of_a_payload_is_left(self):
        out = self.folder / "out"
        self.assertIn('"output":"b3V0"', self.done("export", CORPUS / "full"))
        self.done("redact", CORPUS / "full", out)
        text = self.done("export", out)
        for field in ("payload", "args", "output", "pluginResults"):
            self.assertNotIn(f'"{field}":', text)
        kept = b"".join(independent_reader.contents(CORPUS / "full"))
        left = b"".join(independent_reader.contents(out))
        self.assertIn(b"\x22\x03out", kept)  # callSucceeded.output
        self.assertNotIn(b"\x03out", left)

    def test_it_verifies_as_before(self):
        self.done("redact", CORPUS / "full", self.folder / "out")
        self.assertEqual(json.loads(self.done("verify", self.folder / "out", "--json"))["verifiedRecords"], 200)

    def test_the_header_says_so(self):
        self.done("redact", CORPUS / "full", self.folder / "out")
        info = json.loads(self.done("info", self.folder / "out", "--json"))
        self.assertEqual((info["payloads"], info["outputs"]), ("DIGEST", False))

    def test_a_damaged_log_is_to_be_recovered_first(self):
        done = self.replay("redact", self.damaged(), self.folder / "out")
        self.assertEqual(done.returncode, DAMAGED)
        self.assertIn("recover it first", done.stderr)


class ProgramTest(ReplayTestCase):
    def test_bad_usage_is_exit_2(self):
        for arguments in ((), ("verify",), ("verifi", "x"), ("show", self.log, "--tasks", "t"), ("export",)):
            self.assertEqual(self.replay(*arguments).returncode, BAD_USE, arguments)

    def test_help_lists_the_exit_codes(self):
        done = self.replay("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Exit codes:", done.stdout)

    def test_recording_into_a_folder_with_a_log_is_refused(self):
        done = subprocess.run([SIM, "run", *QUICKSTART, "--record", str(self.log.parent)], capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has a log already", done.stderr)

    def test_recording_changes_nothing_of_a_run(self):
        results = [self.folder / "plain.json", self.folder / "recorded.json"]
        subprocess.run([SIM, "run", *QUICKSTART, "--json", str(results[0])], check=True)
        subprocess.run([SIM, "run", *QUICKSTART, "--json", str(results[1]), "--record", str(self.folder / "log")],
                       check=True)
        self.assertEqual(results[0].read_bytes(), results[1].read_bytes())

    def test_the_same_run_gives_the_same_log(self):
        subprocess.run([SIM, "run", *QUICKSTART, "--record", str(self.folder / "log")], check=True)
        for worker in ("worker-0", "worker-1"):
            self.assertTrue(filecmp.cmp(segment(self.folder / "log" / worker), segment(self.log.parent / worker),
                                        shallow=False))


if __name__ == "__main__":
    unittest.main()

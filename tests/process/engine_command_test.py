"""`blockx-sim engine` as another program meets it: lines over a pipe, exit codes, messages (docs/text-form.md)."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["BLOCKX_SIM"]

START = {"nowUs": 1_000_000, "event": {"start": {}}}
CONNECT = {"nowUs": 1_000_001, "event": {"executorConnected": {"executorId": 0, "generation": 1, "pid": 4711}}}
REQUEST = {"nowUs": 1_000_002, "event": {"requestTaskSlot": {"taskId": "t1", "ttlMs": 5000}}}
TICK = {"nowUs": 1_000_003, "event": {"tick": {}}}


def lines(*events):
    return "".join(json.dumps(event) + "\n" for event in events)


class EngineCommandTest(unittest.TestCase):
    def run_engine(self, text, *options):
        return subprocess.run(
            [PROGRAM, "engine", *options], input=text, capture_output=True, encoding="utf-8", check=False)

    def config(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def steps(self, text, *options):
        done = self.run_engine(text, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def refused(self, text, *options):
        """The message of a run that must end with bad input."""
        done = self.run_engine(text, *options)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    # ---- Steps ----

    def test_each_line_is_answered_by_one_step(self):
        file = self.config('{"executorCount": 1}')
        self.assertEqual(self.steps(lines(START, CONNECT, REQUEST), "--config", file), [
            {"step": 1, "reply": None, "commands": [{"spawnExecutor": {"generation": "1"}}]},
            {"step": 2, "reply": None, "commands": [{"registerWorker": {}}]},
            {"step": 3, "commands": [], "reply": {"task": {
                "taskId": "t1", "state": "ALLOCATED", "slotId": "slot-0", "leaseExpiresAtUs": "6000002"}}},
        ])

    def test_a_refused_request_is_an_answer(self):
        [step] = self.steps(lines(REQUEST))
        self.assertEqual(step["reply"]["error"]["code"], "UNAVAILABLE")

    def test_blank_lines_are_skipped(self):
        self.assertEqual([s["step"] for s in self.steps("\n" + lines(TICK) + " \t\r\n" + lines(TICK))], [1, 2])

    def test_the_last_line_may_lack_its_end(self):
        self.assertEqual(len(self.steps(lines(TICK, TICK).rstrip("\n"))), 2)

    def test_no_input_gives_no_output(self):
        self.assertEqual(self.steps(""), [])

    def test_state_adds_the_next_deadline_and_the_digest(self):
        [first, second] = self.steps(lines({"event": {"tick": {}}}, START), "--state")
        self.assertIsNone(first["nextDeadlineUs"])
        self.assertEqual(second["nextDeadlineUs"], "11000000")  # the executors' start time-out
        self.assertRegex(second["digest"], "^[0-9a-f]{16}$")
        self.assertNotEqual(first["digest"], second["digest"])

    def test_equal_lines_give_equal_bytes(self):
        text = lines(START, CONNECT, REQUEST, TICK)
        self.assertEqual(self.run_engine(text, "--state").stdout, self.run_engine(text, "--state").stdout)

    def test_check_is_silent_while_the_invariants_hold(self):
        self.assertEqual(len(self.steps(lines(START, CONNECT, REQUEST, TICK), "--check")), 4)

    def test_a_program_can_wait_for_each_answer(self):
        with subprocess.Popen([PROGRAM, "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              encoding="utf-8") as talk:
            for number in range(1, 4):
                talk.stdin.write(lines(TICK))
                talk.stdin.flush()
                self.assertEqual(json.loads(talk.stdout.readline())["step"], number)
            # Half a line is no line yet.
            talk.stdin.write('{"event": ')
            talk.stdin.flush()
            talk.stdin.write('{"tick": {}}}\n')
            talk.stdin.flush()
            self.assertEqual(json.loads(talk.stdout.readline())["step"], 4)
            talk.stdin.close()
            self.assertEqual(talk.wait(), 0)

    def test_a_long_line_is_read_whole(self):
        calls = [{"function": f"f{i}"} for i in range(50_000)]
        event = {"event": {"callsAppended": {"taskId": "t1", "run": 1, "calls": calls}}}
        self.assertEqual(len(self.steps(lines(event, TICK))), 2)

    # ---- Bad input ----

    def test_a_malformed_line_is_named_and_earlier_steps_are_written(self):
        done = self.run_engine(lines(TICK, TICK) + "\nnonsense\n" + lines(TICK))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "line 4: not JSON: Unexpected token. At: nonsense\n")
        self.assertEqual([json.loads(line)["step"] for line in done.stdout.splitlines()], [1, 2])

    def test_an_unknown_event_is_told_the_known_ones(self):
        message = self.refused(lines({"event": {"submitTsk": {}}}))
        self.assertTrue(message.startswith("line 1: event.submitTsk: unknown key; known here: requestTaskSlot, "), message)

    def test_an_unknown_configuration_key_gets_the_nearest_known_one(self):
        file = self.config('{"worker": {"taskSlot": 5}}')
        self.assertEqual(self.refused("", "--config", file),
                         f'{file}: /worker/taskSlot: unknown key; did you mean "taskSlots"?\n')

    def test_all_errors_of_a_configuration_come_at_once(self):
        file = self.config('{"executorCount": 0, "listenAddr": 5, "streamBuild": {"enabled": "yes"}}')
        message = self.refused("", "--config", file)
        for path in ("/executorCount", "/listenAddr", "/streamBuild/enabled"):
            self.assertIn(f"{file}: {path}: found ", message)

    def test_fields_must_agree_with_each_other(self):
        file = self.config('{"worker": {"taskDeadlineMs": 2000, "maxTaskTimeoutMs": 1000}}')
        self.assertIn("/worker/taskDeadlineMs: ", self.refused("", "--config", file))

    def test_a_configuration_that_cannot_be_read_is_named(self):
        self.assertEqual(self.refused("", "--config", "no-such-file"),
                         "no-such-file: cannot be opened for reading; expected a configuration file\n")

    def test_a_production_configuration_is_taken_as_it_is(self):
        file = self.config("""{
          "listenAddr": ":8081", "workerAddr": "10.0.0.1:8081", "etcdEndpoints": "localhost:2379",
          "workerRegistryPrefix": "/blockx/workers/", "grpcKeepaliveTimeMs": 30000, "grpcKeepaliveTimeoutMs": 10000,
          "functionSnapshotRetentionMs": 0, "executorCount": 1, "worker": {"taskSlots": 2},
          "admission": {"builderSlots": 1}, "streamBuild": {"enabled": true, "maxBufferedCalls": 8}
        }""")
        [step] = self.steps(lines(START), "--config", file)
        self.assertEqual(len(step["commands"]), 1)

    def test_a_wrong_option_is_bad_usage(self):
        self.assertEqual(self.run_engine("", "--stat").returncode, 2)

    # ---- The program ----

    def test_a_missing_command_is_bad_usage(self):
        self.assertEqual(subprocess.run([PROGRAM], capture_output=True, check=False).returncode, 2)

    def test_help_lists_the_exit_codes(self):
        done = subprocess.run([PROGRAM, "--help"], capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("Exit codes:", done.stdout)

    def test_output_that_cannot_be_written_is_no_success(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "engine"], input=lines(TICK), stdout=full, stderr=subprocess.PIPE,
                                  encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (3, "writing the output failed\n"))


if __name__ == "__main__":
    unittest.main()

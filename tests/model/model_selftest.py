"""The model judged by itself: the contract's own figures, a few whole lives, and its invariants on generated steps."""

import sys
import unittest

from generate import Generator
from model_basics import INT64_MAX, Config, RetryPolicy, retry_delay
from model_executors import HEALTHY, STARTING
from model_invariants import Watchdog
from worker_model import Model

SEEDS, STEPS = 60, 250


def names(commands):
    return [next(iter(command)) for command in commands]


class Story(unittest.TestCase):
    """A model with small helpers: times in milliseconds from 0."""

    def begin(self, executors=1, **groups):
        self.model = Model({"executorCount": executors, **groups})
        self.at(0, "start")
        for executor in range(executors):
            self.at(0, "executorConnected", executorId=executor, generation=1, pid=1)

    def at(self, ms, name, **fields):
        self.reply, self.commands = self.model.apply(ms * 1000, {name: fields})
        return self.commands

    def fields(self, name):
        return [command[name] for command in self.commands if name in command]

    def submit(self, ms, task_id, calls, **fields):
        """Submits, activates and builds the model's next run."""
        self.at(ms, "submitTask", taskId=task_id, function={"type": "scan"}, **fields)
        run = {"taskId": task_id, "run": self.model.tasks.last_run}
        self.at(ms, "activationPrepared", **run, taskCodeEpoch=7)
        self.at(ms, "builderFinished", **run, **calls)
        return run

    def error(self):
        return self.reply["error"]["code"]


def call_list(count):
    return {"callList": {"calls": [{"function": "f"}] * count}}


class RetryDelayTest(unittest.TestCase):
    POLICY = RetryPolicy(3, 10_000, 5)

    def test_R_CALL_4_the_contracts_own_figures(self):
        self.assertEqual(retry_delay("t1", 0, 1, self.POLICY, 10_000_000), 10_189)
        self.assertEqual(retry_delay("t1", 0, 2, self.POLICY, 10_000_000), 20_777)

    def test_R_CALL_4_backs_off_no_longer_than_the_maximum(self):
        without_jitter = RetryPolicy(99, 10_000, 0)
        self.assertEqual(retry_delay("t1", 0, 98, without_jitter, 15_000), 15_000)

    def test_R_CALL_4_no_policy_overflows(self):
        delay = retry_delay("t1", 0, 3, RetryPolicy(9, INT64_MAX, 5), 10 * 365 * 86_400_000_000)
        self.assertTrue(0 < delay < INT64_MAX)


class LifeTest(Story):
    def test_a_task_from_reservation_to_result(self):
        self.begin()
        self.at(1, "requestTaskSlot", taskId="a", ttlMs=50)
        self.assertEqual(
            self.reply["task"], {"taskId": "a", "state": "ALLOCATED", "slotId": "slot-0", "leaseExpiresAtUs": 51_000})
        run = self.submit(2, "a", call_list(1), resultHandler={"type": "rows"})
        self.assertEqual(names(self.commands), ["dispatchCall"])
        self.assertEqual(self.fields("dispatchCall")[0]["taskCodeEpoch"], 7)
        self.at(3, "callSucceeded", executorId=0, callId=1, attempt=1, output="AQ==")
        self.assertEqual(self.fields("startWriter")[0]["outcomes"], [{"output": b"\x01"}])
        self.at(4, "writerFinished", **run, pluginResults="Ag==")
        self.assertEqual(self.fields("convergeTask")[0]["result"], {"state": "SUCCEEDED", "pluginResults": b"\x02"})
        self.at(5, "getTaskResult", taskId="a")
        self.assertEqual(self.reply["task"]["phase"], "TERMINAL")

    def test_R_W_2_phases_passed_through_are_told_of(self):
        self.begin()
        self.at(0, "openWatch", watchId=1, taskIds=["a"])
        self.submit(0, "a", call_list(0))
        self.assertEqual([told["phase"] for told in self.fields("notifyWatch")], ["CALLS", "PLUGIN", "TERMINAL"])
        self.assertEqual(names(self.commands)[-2:], ["notifyWatch", "endWatch"])

    def test_R_SLOT_4_a_lease_that_ends_before_activation_ends_the_task(self):
        self.begin()
        self.at(0, "submitTask", taskId="a", function={"type": "scan"})
        self.at(5000, "tick")
        self.assertEqual(self.fields("convergeTask")[0]["result"]["failureCode"], "SLOT_LOST")

    def test_R_TIME_8_the_grid_point_past_the_last_tick(self):
        self.begin()
        self.at(1, "requestTaskSlot", taskId="a", ttlMs=1)
        self.assertEqual(self.model.next_deadline_us(), 500_000)
        self.at(600, "tick")
        self.at(600, "requestTaskSlot", taskId="a", ttlMs=1)
        self.assertEqual(self.model.next_deadline_us(), 1_000_000)


class CallsTest(Story):
    def test_R_CALL_1_tasks_take_turns(self):
        self.begin(executorMaxConcurrentCalls=4)
        self.at(0, "executorExited", executorId=0, generation=1)
        self.submit(0, "a", call_list(3))
        self.submit(0, "b", call_list(3))
        self.at(1000, "tick")
        self.at(1000, "executorConnected", executorId=0, generation=2)
        self.assertEqual([sent["taskId"] for sent in self.fields("dispatchCall")], ["a", "b", "a", "b"])

    def test_R_SUBC_a_parent_waits_without_a_place(self):
        self.begin()
        self.submit(0, "a", call_list(1))
        self.at(1, "subcallRequested", executorId=0, parentCallId=1, parentAttempt=1, subcallRef=5, function="s")
        self.assertEqual(self.fields("dispatchCall")[0]["callId"], 2)
        self.at(2, "callSucceeded", executorId=0, callId=2, attempt=1, output="AQ==")
        self.assertEqual(
            self.fields("deliverSubcall")[0],
            {"executorId": 0, "parentCallId": 1, "subcallRef": 5, "output": b"\x01"})

    def test_R_CALL_3_the_attempt_is_cancelled_before_its_subcalls(self):
        self.begin(executors=2, dispatcher={"callDeadlineMs": 10})
        self.submit(0, "a", call_list(1))
        self.at(1, "subcallRequested", executorId=0, parentCallId=1, parentAttempt=1, function="s")
        self.at(10, "tick")
        self.assertEqual([sent["callId"] for sent in self.fields("cancelCall")], [1, 2])

    def test_R_CALL_7_lost_with_its_executor_and_tried_again(self):
        self.begin(executors=2)
        self.submit(0, "a", call_list(1))
        self.at(1, "executorExited", executorId=0, generation=1)
        self.at(12, "tick")
        sent = self.fields("dispatchCall")[0]
        self.assertEqual((sent["executorId"], sent["callId"], sent["attempt"]), (1, 1, 2))

    def test_R_STREAM_pauses_and_resumes(self):
        self.begin(streamBuild={"maxBufferedCalls": 2})
        run = self.submit(0, "a", {"stream": {}})
        self.assertEqual(names(self.commands), ["startCallStream"])
        self.at(1, "callsAppended", **run, calls=[{"function": "f"}] * 3)
        self.assertEqual(names(self.commands), ["dispatchCall", "pauseCallStream"])
        self.at(2, "callSucceeded", executorId=0, callId=1, attempt=1)
        self.assertEqual(names(self.commands), ["dispatchCall", "resumeCallStream"])


class ExecutorsTest(Story):
    def test_R_EX_4_a_stall_needs_more_than_the_time_out(self):
        self.begin(schedulerStallTimeoutMs=1000, worker={"tickIntervalMs": 0})
        beat = {"executorId": 0, "generation": 1, "runningCallId": 9, "lastSchedulerActiveAtMs": 5}
        self.at(100, "executorHeartbeat", **beat)
        self.at(900, "executorHeartbeat", **beat)
        self.assertEqual(self.at(1100, "tick"), [])
        self.at(1101, "tick")
        self.assertEqual(self.fields("killExecutor")[0]["reason"], "WEDGED")

    def test_R_EX_5_backs_off_at_the_limit(self):
        self.begin(executorMaxRestarts=2)
        for generation, ms in ((1, 0), (2, 1000)):
            self.at(ms, "executorExited", executorId=0, generation=generation)
            self.at(ms + 1000, "tick")
        self.assertEqual(names(self.commands), [])
        self.at(31_000, "tick")
        self.assertEqual(self.fields("spawnExecutor")[0]["generation"], 3)

    def test_R_EX_7_an_outage_refuses_new_tasks(self):
        self.begin(executorHeartbeatTimeoutMs=500)
        self.at(100, "executorExited", executorId=0, generation=1)
        self.at(600, "tick")
        self.at(600, "requestTaskSlot", taskId="a")
        self.assertEqual(self.error(), "UNAVAILABLE")


class StopTest(Story):
    def test_R_DR_2_the_order_of_a_stop(self):
        self.begin()
        self.at(0, "openWatch", watchId=1, taskIds=["a", "b"])
        self.submit(0, "a", call_list(1))
        self.at(1, "forceStop")
        self.assertEqual(
            names(self.commands),
            ["deregisterWorker", "convergeTask", "cancelCall", "notifyWatch", "endWatch", "killExecutor",
             "drainComplete"])
        self.at(2, "openWatch", watchId=1, taskIds=["a"])
        self.assertEqual(self.error(), "UNAVAILABLE")

    def test_R_DR_1_drains_cleanly_with_the_last_task(self):
        self.begin()
        self.submit(0, "a", call_list(1))
        self.assertEqual(names(self.at(1, "beginDrain")), ["deregisterWorker"])
        self.at(2, "callSucceeded", executorId=0, callId=1, attempt=1)
        self.assertEqual(self.fields("drainComplete"), [{"clean": True}])


class GeneratedTest(unittest.TestCase):
    def follow(self, seed):
        """Generates one seed's steps with the watchdog beside them."""
        generator = Generator(seed)
        model = generator.model
        watchdog, apply = Watchdog(model), model.apply

        def checked(now_us, event):
            reply, commands = apply(now_us, event)
            watchdog.check(event, reply, commands)
            return reply, commands

        model.apply = checked
        return generator, list(generator.steps(STEPS))

    def test_invariants_hold_on_generated_sequences(self):
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                self.follow(seed)

    def test_a_seed_is_its_sequence(self):
        self.assertEqual(self.follow(7)[1], self.follow(7)[1])

    def test_invariant_12_every_task_ends_once_all_is_answered(self):
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                model = self.follow(seed)[0].model
                latest = max([model.now, *(task.deadline.deadline for task in model.tasks.active.values())])
                self.answer_all(model)
                self.assertFalse(model.tasks.active)
                self.assertLessEqual(min(model.now, INT64_MAX - 1), latest + max(model.config.tick_interval, 1))

    def answer_all(self, model):
        """Executors answer, nothing new arrives, and a Tick comes whenever one could matter."""
        for _ in range(100_000):
            event = self.next_answer(model)
            if not model.tasks.active:
                return
            model.apply(model.now if event else model.next_deadline_us(), event or {"tick": {}})

    def next_answer(self, model):
        for attempt in model.calls.attempts.values():
            if not attempt.subcalls:
                return {"callSucceeded": {"executorId": attempt.executor, "callId": attempt.call.id,
                                          "attempt": attempt.number}}
        for name, stage in (("builderFinished", model.tasks.admission.builder),
                            ("writerFinished", model.tasks.admission.plugin)):
            for task_id, run in sorted(stage.holders):
                return {name: {"taskId": task_id, "run": run}}
        for task_id, run in sorted(model.tasks.streams_owed):
            return {"callStreamEnded": {"taskId": task_id, "run": run}}
        for executor in model.executors.pool:
            if executor.state not in (STARTING, HEALTHY, "ABSENT"):
                return {"executorExited": {"executorId": executor.id, "generation": executor.generation}}
        return None


class ConfigTest(unittest.TestCase):
    def test_R_EX_4_the_stall_time_out_follows_the_call_deadline(self):
        self.assertEqual(Config({}).stall_timeout, 70_000_000)
        self.assertEqual(Config({"dispatcher": {"callDeadlineMs": 5}}).stall_timeout, 30_000_000)
        self.assertEqual(Config({"schedulerStallTimeoutMs": 9}).stall_timeout, 9000)


if __name__ == "__main__":
    sys.exit(unittest.main())

"""Random and hostile event sequences for the engine: one seed, one configuration and one list of steps.

The generator drives a model as it goes and looks at it, so that most of what it sends means something: work that is
owed is reported, calls end, executors connect, beat and die, ticks fall on and around deadlines. The rest is hostile:
stale runs, wrong attempts, repeats, unknown ids, extreme numbers, time that runs backwards.
"""

import base64
import copy
import random

from model_basics import INT64_MAX, INT64_MIN
from model_executors import ABSENT, HEALTHY, KILLED, STARTING
from model_tasks import PREPARING
from worker_model import Model

EXTREMES = [0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, 2**31, 2**32, -(2**31), 2**53 + 1]


# Each field with the values that leave room to live, and with those that bind. Times in milliseconds.
FIELDS = {
    "": {
        "executorCount": ([1, 2, 2, 3], [1]),
        "executorMaxConcurrentCalls": ([1, 1, 2], [1, 3]),
        "executorStartTimeoutMs": ([10_000], [0, 50, 2000]),
        "executorHeartbeatTimeoutMs": ([10_000, 60_000], [0, 300, 2000]),
        "schedulerStallTimeoutMs": ([0, 30_000], [1, 100, 1000]),
        "executorRestartEnabled": ([True], [False]),
        "executorRestartDelayMs": ([0, 100], [0, 1, 1000]),
        "executorMaxRestarts": ([2, 3, 10], [1, 2]),
        "executorRestartWindowMs": ([0, 5000, 60_000], [0, 500]),
        "executorRestartBackoffMs": ([700], [0, 3000]),
        "drainTimeoutMs": ([30_000], [0, 300, 5000]),
    },
    "worker": {
        "tickIntervalMs": ([0, 100, 500, 500], [0, 1, 7]),
        "taskSlots": ([2, 3, 4], [1]),
        "defaultTTLMs": ([5000], [0, 100, 700]),
        "maxTTLMs": ([300_000], [10, 1000]),
        "taskDeadlineMs": ([5000, 300_000], [0, 200, 1000]),
        "maxTaskTimeoutMs": ([28_800_000], [300_000]),
        "resultRetentionMs": ([0, 200, 2000], [0, 300_000]),
        "watchDisconnectGraceMs": ([0, 250], [1, 1000]),
        "maxRetainedResultBytes": ([2**30], [1, 402, 403, 804, 2000]),
        "maxCallsPerTask": ([1_000_000], [1, 3, 3, 6]),
        "maxTaskOutputBytes": ([2**28], [1, 4, 12]),
        "maxWatches": ([20_000], [1, 2]),
        "maxWatchedIds": ([1_000_000], [2, 5]),
        "defaultMaxAttempts": ([2, 3], [1, 5]),
        "defaultBaseBackoffMs": ([0, 1, 10], [400]),
        "defaultRetryJitterPercent": ([5], [0, 1, 3]),
    },
    "admission": {
        "builderSlots": ([2, 16], [1]),
        "executorTaskSlots": ([2, 32], [1]),
        "pluginSlots": ([2, 16], [1]),
        "scanSlots": ([2, 8], [1]),
    },
    "dispatcher": {
        "callDeadlineMs": ([60_000], [0, 60, 1000]),
        "maxBackoffMs": ([10_000], [0, 15]),
        "rampUpInitialWindow": ([1, 2, 3], [1]),
        "rampUpMaxWindow": ([3, 4, 64], [3, 4]),
        "maxSubcallDepth": ([2, 8], [1]),
        "cancelGraceMs": ([5000], [0, 50, 1000]),
    },
    "streamBuild": {"maxBufferedCalls": ([3, 4, 1024], [1, 2, 2])},
}


def draw_config(rng):
    """A small configuration in which some limits bind; some fields are left out, so that defaults count too."""
    binds = rng.choice([0, 0.1, 0.25, 0.25, 0.6])
    absent = rng.choice([0, 0, 0.1])
    config = {}
    for group, fields in FIELDS.items():
        target = config.setdefault(group, {}) if group else config
        for name, (roomy, tight) in fields.items():
            # rampUpInitialWindow and rampUpMaxWindow bound each other.
            if name.startswith("rampUp") or rng.random() >= absent:
                target[name] = rng.choice(tight if rng.random() < binds else roomy)
    return config


class Generator:
    """Steps of one seed. `mood` is what differs between seeds beside the configuration."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.config = draw_config(rng)
        self.model = Model(self.config)
        self.sent = []
        pick = rng.choice
        self.mood = {
            "hostile": pick([0, 0, 0.05, 0.15, 0.4]),
            "extreme": pick([0, 0, 0, 0.005]),
            "failure": pick([0.02, 0.1, 0.3, 0.6]),
            "retryable": pick([0.2, 0.8, 1]),
            "subcall": pick([0, 0.15, 0.5]),
            "stream": pick([0, 0.3, 0.9]),
            "client": pick([0.1, 0.2, 0.4]),
            "tick": pick([0.05, 0.1, 0.3]),
            "exit": pick([0, 0.05, 0.2]),
            "leap": pick([0.05, 0.05, 0.3]),  # how often a Tick waits for a deadline that is far away
            "lag": pick([0, 200, 5000, 50_000, 400_000]),  # microseconds that usually pass at most
        }
        self.ids = [f"t{index}" for index in range(rng.randint(2, 9))]
        if rng.random() < 0.2:
            self.ids += ["é" * 128, "aufgabe-ü"]
        self.now = pick([0, 1, 1_700_000_000_000_000, 1_700_000_000_000_000, -3_000_001, 123_456_789])
        if rng.random() < 0.01:
            self.now = INT64_MAX - 20_000_000
        self.instants = [self.now]
        groups = [self.config, *(group for group in self.config.values() if isinstance(group, dict))]
        times = [value for group in groups for name, value in group.items() if name.endswith("Ms")]
        self.durations = [ms * 1000 for ms in times if ms <= 10_000]  # a longer one ends everything else

    def steps(self, count):
        rng = self.rng
        drain_at = rng.choice([None, None, None, None, rng.randrange(count), int(count * 0.85), int(count * 0.9)])
        stop_at = rng.choice([None, None, None, None, rng.randrange(count), int(count * 0.9), int(count * 0.95)])
        start_at = rng.choice([0, 0, 0, 0, 1, rng.randrange(min(count, 30))])
        for index in range(count):
            if stop_at is not None and index > stop_at + 40:
                return  # a stopped Worker has little left to decide
            event = {"start": {}} if index == start_at else None
            if index == drain_at:
                event = {"beginDrain": {}}
            if index == stop_at:
                event = {"forceStop": {}}
            yield self._step(event or self._event())

    def _step(self, event):
        event = self._spelled(event)
        step = {"nowUs": self._spelled_number(self._time(event)), "event": event}
        self.model.apply(int(step["nowUs"]), event)
        self.sent.append(event)
        return step

    # Spelling: a 64-bit integer may be a string, a default may be left out or not.

    def _spelled_number(self, value):
        return str(value) if abs(value) >= 2**53 or self.rng.random() < 0.3 else value

    def _spelled(self, value):
        if isinstance(value, dict):
            return {name: self._spelled(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._spelled(item) for item in value]
        return self._spelled_number(value) if isinstance(value, int) and not isinstance(value, bool) else value

    # Time.

    def _time(self, event):
        rng, due = self.rng, self.model.next_deadline_us()
        roll = rng.random()
        if roll < self.mood["extreme"] / 5:
            return rng.choice([INT64_MAX, INT64_MAX - 1, INT64_MIN, min(INT64_MAX, self.now + 10 * 365 * 86_400_000_000)])
        if roll < 0.03:
            return max(INT64_MIN, self.now - rng.choice([1, 1000, 700_000, 10**10]))  # not remembered
        near = due is not None and due < self.now + 1_000_000
        if "tick" in event and due is not None and rng.random() < (0.7 if near else self.mood["leap"]):
            self._advance_to(due + rng.choice([0, 0, 0, 0, -1, 1, 1000]))
        elif rng.random() < 0.06:
            # A configured time after something that happened, or just beside it.
            self._advance_to(rng.choice(self.instants[-12:]) + rng.choice(self.durations) + rng.choice([0, 0, -1, 1]))
        elif rng.random() < 0.6:
            self._advance_to(self.now + rng.randint(0, self.mood["lag"]))
        elif rng.random() < 0.1:
            self._advance_to(self.now + rng.choice([1, 499_999, 500_000, 500_001, 3_000_000]))
        elif rng.random() < 0.05 and due is not None:
            self._advance_to(due + rng.choice([0, -1, 1]))
        return self.now

    def _advance_to(self, instant):
        self.now = min(max(self.now, instant), INT64_MAX)
        self.instants.append(self.now)

    # What happens.

    def _event(self):
        rng = self.rng
        if self.sent and rng.random() < self.mood["hostile"]:
            return self._hostile()
        roll = rng.random()
        if roll < self.mood["tick"]:
            return {"tick": {}}
        if roll < self.mood["tick"] + self.mood["client"]:
            return self._request()
        reports = self._reports()
        return rng.choice(rng.choice(reports)) if reports else rng.choice([{"tick": {}}, self._request(), self._request()])

    def _task_id(self):
        return self.rng.choice(self.ids)

    def _known_id(self):
        """Mostly one that the engine knows."""
        tasks = self.model.tasks
        known = [*tasks.reserved, *tasks.active, *tasks.retained]
        return self.rng.choice(known) if known and self.rng.random() < 0.6 else self._task_id()

    def _request(self):
        rng = self.rng
        kind = rng.choices(["request", "submit", "get", "open", "close"], [2, 7, 1, 2, 1])[0]
        if kind == "request":
            return {"requestTaskSlot": {"taskId": self._task_id(), "ttlMs": rng.choice([0, 0, 1, 5, 10])}}
        if kind == "submit":
            return {"submitTask": self._submission()}
        if kind == "get":
            return {"getTaskResult": {"taskId": self._known_id()}}
        watch_id = rng.randint(0, 4)
        if kind == "close":
            return {"closeWatch": {"watchId": watch_id}}
        ids = [self._known_id() for _ in range(rng.choice([1, 1, 2, 3]))]
        return {"openWatch": {"watchId": watch_id, "taskIds": ids}}

    def _submission(self):
        rng = self.rng
        task_id = rng.choice([*self.model.tasks.reserved, self._task_id()])
        fields = {"taskId": task_id, "function": {"type": "scan", "payload": self._bytes()}}
        slot = self.model.tasks.reserved.get(task_id)
        if rng.random() < 0.25:
            right = slot is not None and rng.random() < 0.7
            fields["slotId"] = f"slot-{slot if right else rng.randint(0, 4)}"
        elif rng.random() < 0.07:
            fields["slotId"] = rng.choice(["slot-0", "slot-1", "slot-00", "slot-", "slot-9", "SLOT-0", "0", "slot-+1"])
        if rng.random() < 0.7:
            fields["resultHandler"] = {"type": rng.choice(["rows", "rows", "rows", ""])}
        if rng.random() < 0.2:
            fields["taskTimeoutMs"] = rng.choice([0, 1, 300, 1000, 1000])
        if rng.random() < 0.5:
            fields["callFailurePolicy"] = rng.choice(["CONTINUE", "CONTINUE", "FAIL_TASK"])
        if rng.random() < 0.3:
            fields["callRetryPolicy"] = {"maxAttempts": rng.randint(1, 4), "baseBackoffMs": rng.choice([0, 0, 5, 100])}
            if rng.random() < 0.5:
                fields["callRetryPolicy"]["jitterPercent"] = rng.randint(0, 5)
        return fields

    # Reports that are owed, in groups: first a group is drawn, then one of it.

    def _reports(self):
        model, rng = self.model, self.rng
        tasks = model.tasks
        groups = [
            [self._activation(task) for task in tasks.active.values() if task.phase == PREPARING],
            [self._built(*key) for key in sorted(tasks.admission.builder.holders)],
            [self._streamed(*key) for key in sorted(tasks.streams_owed)],
            [self._written(*key) for key in sorted(tasks.admission.plugin.holders)],
            [self._called(attempt) for attempt in model.calls.attempts.values()],
            [self._called(attempt) for attempt in model.calls.attempts.values() if attempt.live],
            [self._executor(executor) for executor in model.executors.pool if executor.state in (STARTING, KILLED)],
        ]
        if rng.random() < 0.4:
            groups += 2 * [[self._executor(executor) for executor in model.executors.pool if executor.state != ABSENT]]
        return [group for group in groups if group]

    def _fails(self):
        return self.rng.random() < self.mood["failure"]

    def _failure(self, code):
        rng = self.rng
        message = rng.choice(["", "no", "disk \"full\"\n", "größer", "m" * 5000])
        fields = {"code": rng.choice(["", code, "OWN_CODE"]), "message": message,
                  "retryable": rng.random() < self.mood["retryable"]}
        return {name: value for name, value in fields.items() if value}

    def _bytes(self):
        return base64.b64encode(self.rng.randbytes(self.rng.choice([0, 1, 3, 8]))).decode()

    def _call_list(self, most):
        return [{"function": self.rng.choice(["f", "g", ""]), "args": self._bytes()}
                for _ in range(self.rng.randint(0, most))]

    def _activation(self, task):
        run = {"taskId": task.id, "run": task.run}
        if self._fails() and self.rng.random() < 0.5:
            return {"activationFailed": run | self._failure("IO_SCOPE_FAILED")}
        return {"activationPrepared": run | {"slotId": f"slot-{task.slot}", "taskCodeEpoch": self.rng.randint(0, 9)}}

    def _built(self, task_id, run):
        fields = {"taskId": task_id, "run": run}
        if self._fails() and self.rng.random() < 0.3:
            return {"builderFinished": fields | {"failure": self._failure("BUILDER_NOT_FOUND")}}
        if self.rng.random() < self.mood["stream"]:
            return {"builderFinished": fields | {"stream": {}}}
        most = min(6, self.config["worker"].get("maxCallsPerTask", 6) + self.rng.choice([0, 0, 0, 1]))
        return {"builderFinished": fields | {"callList": {"calls": self._call_list(most)}}}

    def _streamed(self, task_id, run):
        fields = {"taskId": task_id, "run": run}
        if self.rng.random() < 0.6:
            return {"callsAppended": fields | {"calls": self._call_list(self.rng.choice([1, 2, 4]))}}
        if self._fails() and self.rng.random() < 0.4:
            return {"callStreamEnded": fields | {"failure": self._failure("SCAN_FAILED")}}
        return {"callStreamEnded": fields}

    def _written(self, task_id, run):
        fields = {"taskId": task_id, "run": run}
        if self._fails():
            return {"writerFinished": fields | {"failure": self._failure("PLUGIN_NOT_FOUND")}}
        return {"writerFinished": fields | {"pluginResults": self._bytes()}}

    def _called(self, attempt):
        rng = self.rng
        if attempt.live and rng.random() < self.mood["subcall"]:
            return {"subcallRequested": {
                "executorId": attempt.executor, "parentCallId": attempt.call.id, "parentAttempt": attempt.number,
                "subcallRef": rng.randint(0, 3), "function": "sub", "args": self._bytes()}}
        fields = {"executorId": attempt.executor, "callId": attempt.call.id, "attempt": attempt.number}
        if attempt.live and attempt.subcalls and rng.random() < 0.8:
            return {"tick": {}}  # a suspended call seldom ends by itself
        if self._fails():
            return {"callFailed": fields | self._failure("DIVISION_BY_ZERO")}
        return {"callSucceeded": fields | {"output": self._bytes()}}

    def _executor(self, executor):
        rng = self.rng
        fields = {"executorId": executor.id, "generation": executor.generation}
        exit_chance = {STARTING: 0.1, HEALTHY: self.mood["exit"], KILLED: 1, ABSENT: 1}[executor.state]
        if rng.random() < exit_chance:
            return {"executorExited": fields | {"reason": rng.choice(["", "killed by signal 9"])}}
        if executor.state == STARTING:
            return {"executorConnected": fields | {"pid": rng.randint(1, 40_000)}}
        running, active = rng.choice([0, 0, 1, 7]), rng.choice([0, 1, len(self.sent)])
        return {"executorHeartbeat": fields | {"runningCallId": running, "lastSchedulerActiveAtMs": active}}

    # Hostility.

    def _hostile(self):
        rng = self.rng
        kind = rng.choice(["repeat", "mutate", "mutate", "mutate", "request", "control", "flood"])
        if kind == "repeat":
            return copy.deepcopy(rng.choice(self.sent[-rng.choice([1, 20, 1000]):]))
        if kind == "request":
            return self._bad_request()
        if kind == "control":
            # A stop ends all that is interesting: a late one is enough.
            late = len(self.sent) > 200 and rng.random() < 0.1
            return {rng.choice(["beginDrain", "forceStop"] if late else ["start", "tick"]): {}}
        if kind == "flood":
            tasks = self.model.tasks.active or {"t0": None}
            task_id = rng.choice(list(tasks))
            run = tasks[task_id].run if tasks[task_id] else 1
            stray = rng.choice([self._built, self._streamed, self._written])
            return stray(task_id, run)
        reports = self._reports()
        event = rng.choice(rng.choice(reports)) if reports and rng.random() < 0.7 else rng.choice(self.sent)
        return self._mutated(copy.deepcopy(event))

    def _mutated(self, event):
        ((name, fields),) = event.items()
        if fields:
            field = self.rng.choice(list(fields))
            fields[field] = self._mutated_value(field, fields[field])
        return {name: fields}

    def _mutated_value(self, field, value):
        rng = self.rng
        if isinstance(value, bool) or field in ("callFailurePolicy", "payload", "args", "output", "pluginResults"):
            return value
        if isinstance(value, dict) and value:
            inner = rng.choice(list(value))
            return value | {inner: self._mutated_value(inner, value[inner])}
        if isinstance(value, list):
            return value + value[:2]
        is_number = isinstance(value, int) or field in ("run", "executorId", "generation", "callId", "attempt")
        if is_number or (isinstance(value, str) and value.lstrip("-").isdigit() and field not in ("taskId", "slotId")):
            near = [int(value) + 1, int(value) - 1, int(value) + 2]
            chosen = rng.choice(near + [rng.choice(EXTREMES)])
            return max(INT64_MIN, min(INT64_MAX, chosen))
        if isinstance(value, str):
            return rng.choice([self._task_id(), "", value + "x", value[:-1]])
        return value

    def _bad_request(self):
        """Around every bound of R-ARG and R-LIM."""
        rng = self.rng
        bad_id = rng.choice(["", "x" * 257, "é" * 129, "x" * 256, "no such task", "nul\u0000inside"])
        number = rng.choice([-1, 300_001, 28_800_001, *EXTREMES])
        submission = self._submission()
        twist = rng.randrange(7)
        if twist == 0:
            submission["taskId"] = bad_id
        elif twist == 1:
            submission["function"] = rng.choice([{}, {"type": ""}, {"payload": "AAAA"}])
        elif twist == 2:
            submission["taskTimeoutMs"] = number
        elif twist == 3:
            submission["callRetryPolicy"] = {}
        elif twist == 4:
            submission["callRetryPolicy"] = {"maxAttempts": rng.choice([0, -1, 1, INT64_MAX]),
                                             "baseBackoffMs": rng.choice([-1, 0, INT64_MAX]),
                                             "jitterPercent": rng.choice([-1, 0, 5, 6])}
        many = [self._task_id() for _ in range(rng.choice([0, 5, 8]))] + rng.choice([[], [], [bad_id]])
        if rng.random() < 0.02:
            many = ["t0"] * rng.choice([10_000, 10_001])
        return rng.choice([
            {"requestTaskSlot": {"taskId": bad_id}},
            {"requestTaskSlot": {"taskId": self._task_id(), "ttlMs": number}},
            {"getTaskResult": {"taskId": bad_id}},
            {"submitTask": submission},
            {"submitTask": submission},
            {"openWatch": {"watchId": rng.choice([0, 1, 5, *EXTREMES]), "taskIds": many}},
            {"closeWatch": {"watchId": rng.choice(EXTREMES)}},
        ])

"""Slots, the task index, phases and convergence."""

from dataclasses import dataclass, field

from model_admission import Admission
from model_basics import (
    RESULT_OVERHEAD_BYTES, TASK_ID_LIMIT_BYTES, Failure, Refused, RetryPolicy, Timer, data, number, saturate, text,
)

FREE, ALLOCATED, RUNNING = "FREE", "ALLOCATED", "RUNNING"
SUCCEEDED, FAILED = "SUCCEEDED", "FAILED"
PREPARING, BUILDER, CALLS, PLUGIN, TERMINAL = "PREPARING", "BUILDER", "CALLS", "PLUGIN", "TERMINAL"


@dataclass
class Slot:
    state: str = FREE
    task_id: str | None = None
    lease: Timer | None = None  # only while ALLOCATED (R-SLOT-5)


@dataclass(eq=False)
class Stream:
    started: bool = False  # StartCallStream was emitted
    ended: bool = False  # CallStreamEnded was reported
    paused: bool = False


@dataclass(eq=False)
class Task:
    """An accepted task until its convergence."""

    id: str
    run: int
    slot: int
    deadline: Timer
    retry: RetryPolicy
    continue_on_failure: bool
    has_handler: bool
    window: int
    phase: str = PREPARING
    epoch: int = 0
    grace: Timer | None = None
    stream: Stream | None = None
    roots: list = field(default_factory=list)  # the calls of list or stream, in call order
    subcalls: dict = field(default_factory=dict)  # outstanding subcalls, by call id
    due_retries: list = field(default_factory=list)  # root calls, in the order in which they became due
    calls_known: int = 0  # root calls and subcalls ever known (R-LIM)
    output_bytes: int = 0


@dataclass
class Ended:
    """A retained result (R-RET)."""

    result: dict
    size: int
    purge: Timer


class Tasks:
    def __init__(self, model):
        self.model = model
        self.config = model.config
        self.admission = Admission(model.config)
        self.slots = [Slot() for _ in range(self.config.task_slots)]
        # A task id is in at most one of these three (invariant 2).
        self.reserved = {}  # task id -> slot index
        self.active = {}  # task id -> Task, in order of acceptance
        self.retained = {}  # task id -> Ended
        self.retained_bytes = 0
        self.last_run = 0
        # Streams whose StartCallStream was emitted and whose end is not reported: these hold their scan permit.
        self.streams_owed = set()

    # Requests.

    def check_id(self, task_id):
        if not task_id or len(task_id.encode()) > TASK_ID_LIMIT_BYTES:
            raise Refused("INVALID_ARGUMENT")

    def known(self, task_id):
        return task_id in self.reserved or task_id in self.active or task_id in self.retained

    def view(self, task_id):
        """What a reply says about a known task (R-IDEM-1)."""
        if task_id in self.retained:
            result = self.retained[task_id].result
            return {"taskId": task_id, "state": result["state"], "phase": TERMINAL, "result": result}
        if task_id in self.active:
            task = self.active[task_id]
            view = {"taskId": task_id, "state": RUNNING, "slotId": f"slot-{task.slot}", "phase": task.phase}
            slot = self.slots[task.slot]
        else:
            index = self.reserved[task_id]
            view = {"taskId": task_id, "state": ALLOCATED, "slotId": f"slot-{index}"}
            slot = self.slots[index]
        if slot.state == ALLOCATED:
            view["leaseExpiresAtUs"] = slot.lease.deadline
        return view

    def request_slot(self, fields):
        """R-SLOT-2, its checks in its order."""
        task_id, ttl_ms = text(fields, "taskId"), number(fields, "ttlMs")
        self.check_id(task_id)
        if not 0 <= ttl_ms <= self.config.max_ttl_ms:
            raise Refused("INVALID_ARGUMENT")
        if self.model.stopped:
            raise Refused("UNAVAILABLE")
        if not self.known(task_id):
            self._check_available()
            self._reserve(task_id, ttl_ms * 1000 or self.config.default_ttl)  # R-SLOT-3
        return {"task": self.view(task_id)}

    def _check_available(self):
        executors = self.model.executors
        if not executors.ready or executors.outage or self.model.draining:
            raise Refused("UNAVAILABLE")

    def _reserve(self, task_id, ttl):
        free = [index for index, slot in enumerate(self.slots) if slot.state == FREE]
        if not free or self.retained_bytes >= self.config.max_retained_bytes:
            raise Refused("NO_SLOT")
        self.slots[free[0]] = Slot(ALLOCATED, task_id, self.model.timer(ttl))
        self.reserved[task_id] = free[0]

    def submit(self, fields):
        """R-SUB-1, its checks in its order."""
        task_id = text(fields, "taskId")
        timeout_ms = number(fields, "taskTimeoutMs")
        policy = fields.get("callRetryPolicy")
        self.check_id(task_id)
        if not 0 <= timeout_ms <= self.config.max_task_timeout_ms or not text(fields.get("function") or {}, "type"):
            raise Refused("INVALID_ARGUMENT")
        retry = self.config.retry if policy is None else self._retry_policy(policy)
        if self.model.stopped:
            raise Refused("UNAVAILABLE")
        if task_id in self.active or task_id in self.retained:
            return {"task": self.view(task_id)}
        self._check_available()
        self._check_slot(task_id, text(fields, "slotId"))
        if task_id not in self.reserved:
            self._reserve(task_id, self.config.default_ttl)
        self._accept(fields, task_id, timeout_ms, retry)
        return {"task": self.view(task_id)}

    def _retry_policy(self, policy):
        """The fields of a present policy are literal, 0 included (R-ARG)."""
        attempts, backoff_ms = number(policy, "maxAttempts"), number(policy, "baseBackoffMs")
        jitter = number(policy, "jitterPercent")
        if attempts < 1 or backoff_ms < 0 or not 0 <= jitter <= 5:
            raise Refused("INVALID_ARGUMENT")
        return RetryPolicy(attempts, saturate(backoff_ms * 1000), jitter)

    def _check_slot(self, task_id, slot_id):
        """R-SUB-2: the order of the three refusals of a named slot."""
        if not slot_id:
            return
        if slot_id not in (f"slot-{index}" for index in range(len(self.slots))) or task_id not in self.reserved:
            raise Refused("INVALID_SLOT")
        if slot_id != f"slot-{self.reserved[task_id]}":
            raise Refused("SLOT_UNCERTAIN")

    def _accept(self, fields, task_id, timeout_ms, retry):
        """R-SUB-3, R-SUB-4: the slot stays ALLOCATED, with its lease."""
        self.last_run += 1
        task = Task(
            id=task_id,
            run=self.last_run,
            slot=self.reserved.pop(task_id),
            deadline=self.model.timer(timeout_ms * 1000 or self.config.task_deadline),
            retry=retry,
            continue_on_failure=text(fields, "callFailurePolicy") == "CONTINUE",
            has_handler=bool(text(fields.get("resultHandler") or {}, "type")),
            window=self.config.window_initial,
        )
        self.active[task_id] = task
        self.model.emit("prepareActivation", taskId=task_id, run=task.run, slotId=f"slot-{task.slot}")

    def get_result(self, fields):
        task_id = text(fields, "taskId")
        self.check_id(task_id)
        if not self.known(task_id):
            raise Refused("NOT_FOUND")
        return {"task": self.view(task_id)}

    # Reports. A report about what is not owed is dropped whole (R-EV-1, R-SUB-4).

    def _active(self, fields, phase):
        """The task that a report is about, if that very run is in that very phase."""
        task = self.active.get(text(fields, "taskId"))
        return task if task and task.run == number(fields, "run") and task.phase == phase else None

    def _work_ended(self, stage, fields):
        """The permit comes back with the report, also when the task ended before (R-ADM-2)."""
        key = text(fields, "taskId"), number(fields, "run")
        owed = stage.holds(*key)
        stage.give_back(*key)
        return owed

    def activation_prepared(self, fields):
        task = self._active(fields, PREPARING)
        if task:
            self.slots[task.slot] = Slot(RUNNING, task.id)
            task.epoch = number(fields, "taskCodeEpoch")
            self._enter(task, BUILDER)
            self.admission.builder.ask(task)

    def activation_failed(self, fields):
        task = self._active(fields, PREPARING)
        if task:
            self.fail(task, Failure.reported(fields, "ACTIVATION_FAILED"))

    def builder_finished(self, fields):
        if not self._work_ended(self.admission.builder, fields):
            return
        task = self._active(fields, BUILDER)
        if not task:
            return
        calls = (fields.get("callList") or {}).get("calls") or []
        if fields.get("failure") is not None:
            self.fail(task, Failure.reported(fields["failure"], "BUILDER_FAILED"))
        elif len(calls) > self.config.max_calls_per_task:
            self.fail(task, Failure("BUILDER_FAILED", False))  # R-LIM
        elif fields.get("stream") is not None:
            self._enter(task, CALLS)
            task.stream = Stream()
            self.admission.scan.ask(task)  # R-PH-3: scan first
        else:
            self._enter(task, CALLS)
            self.model.calls.add_roots(task, calls)
            if calls:
                self.admission.executor_task.ask(task)
            else:
                self.calls_done(task)

    def _streaming(self, fields):
        """The task whose open stream a report is about."""
        task = self._active(fields, CALLS)
        return task if task and (task.id, task.run) in self.streams_owed else None

    def calls_appended(self, fields):
        task = self._streaming(fields)
        if not task:
            return
        calls = fields.get("calls") or []
        if task.calls_known + len(calls) > self.config.max_calls_per_task:
            self.fail(task, Failure("BUILDER_FAILED", False))  # R-LIM
        else:
            self.model.calls.add_roots(task, calls)

    def stream_ended(self, fields):
        key = text(fields, "taskId"), number(fields, "run")
        if key not in self.streams_owed:
            return
        task = self._streaming(fields)
        self.streams_owed.remove(key)
        self.admission.scan.give_back(*key)  # also when the task ended before (R-ADM-2)
        if not task:
            return
        task.stream.ended = True
        if fields.get("failure") is not None:
            self.fail(task, Failure.reported(fields["failure"], "BUILDER_FAILED"))
        else:
            self.model.calls.check_done(task)

    def writer_finished(self, fields):
        if not self._work_ended(self.admission.plugin, fields):
            return
        task = self._active(fields, PLUGIN)
        if not task:
            return
        if fields.get("failure") is not None:
            self.fail(task, Failure.reported(fields["failure"], "PLUGIN_FAILED"))
        else:
            self.converge(task, SUCCEEDED, None, data(fields, "pluginResults"))

    # Phases.

    def _enter(self, task, phase):
        task.phase = phase
        self.model.watches.phase_entered(task)

    def calls_done(self, task):
        """R-PH-4: with a handler the Writer is asked for; without one, Plugin is left at once."""
        self.admission.executor_task.leave(task)
        self.admission.executor_task.give_back(task.id, task.run)
        self._enter(task, PLUGIN)
        if task.has_handler:
            self.admission.plugin.ask(task)
        else:
            self.converge(task, SUCCEEDED, None, b"")

    def grant_permits(self):
        """R-EV-3: builder, scan, executor-task, plugin."""
        admission, emit = self.admission, self.model.emit
        for task in admission.builder.grant():
            emit("startBuilder", taskId=task.id, run=task.run)
        for task in admission.scan.grant():
            admission.executor_task.ask(task)
        for task in admission.executor_task.grant():
            if task.stream:
                task.stream.started = True
                self.streams_owed.add((task.id, task.run))
                emit("startCallStream", taskId=task.id, run=task.run)
            self.model.calls.join_line(task)
        for task in admission.plugin.grant():
            outcomes = [call.outcome() for call in task.roots]
            emit("startWriter", taskId=task.id, run=task.run, outcomes=outcomes)

    # The end.

    def fail(self, task, failure):
        self.converge(task, FAILED, failure, b"")

    def shut_down(self):
        """R-DR-2, in order of acceptance."""
        for task in list(self.active.values()):
            self.fail(task, Failure("WORKER_SHUTDOWN", True))

    def converge(self, task, state, failure, plugin_results):
        """R-END-1, all of it in one call."""
        result = {"state": state, "pluginResults": plugin_results}
        if failure:
            result.update(failureCode=failure.code, message=failure.message, retryable=failure.retryable)
        self.model.emit("convergeTask", taskId=task.id, run=task.run, result=result)
        self.slots[task.slot] = Slot()
        del self.active[task.id]
        task.phase = TERMINAL
        for stage in self.admission.stages():
            stage.leave(task)
        self.admission.executor_task.give_back(task.id, task.run)
        if task.stream and not task.stream.started:
            self.admission.scan.give_back(task.id, task.run)  # R-PH-3
        self.model.calls.abandon(task)
        self._retain(task, result, failure)
        self.model.watches.task_ended(task, result)
        self.model.check_drained()

    def _retain(self, task, result, failure):
        message = failure.message if failure and failure.message else ""
        size = len(result["pluginResults"]) + len(task.id.encode()) + len(message.encode()) + RESULT_OVERHEAD_BYTES
        self.retained[task.id] = Ended(result, size, self.model.timer(self.config.result_retention))
        self.retained_bytes += size

    # Timers (R-TIME-6): what is pending of each kind, and what it does when due.

    def leases(self):
        return [(slot.lease, slot) for slot in self.slots if slot.lease]

    def lease_expired(self, slot):
        """R-SLOT-4."""
        if slot.task_id in self.reserved:
            index = self.reserved.pop(slot.task_id)
            self.slots[index] = Slot()
        else:
            self.fail(self.active[slot.task_id], Failure("SLOT_LOST", True))

    def deadlines(self):
        return [(task.deadline, task) for task in self.active.values()]

    def timed_out(self, task):
        self.fail(task, Failure("TIMED_OUT", True))  # R-PH-6

    def graces(self):
        return [(task.grace, task) for task in self.active.values() if task.grace]

    def watch_disconnected(self, task):
        self.fail(task, Failure("WATCH_DISCONNECTED", False))  # R-W-4

    def purges(self):
        return [(ended.purge, task_id) for task_id, ended in self.retained.items()]

    def purge(self, task_id):
        self.retained_bytes -= self.retained.pop(task_id).size

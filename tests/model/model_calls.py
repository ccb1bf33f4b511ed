"""Which call runs where, and what becomes of it."""

from dataclasses import dataclass, field

from model_basics import Failure, Timer, data, number, retry_delay, text
from model_tasks import CALLS, Task

WAITING, RUNNING, BACKING_OFF, RETRY_DUE = "WAITING", "RUNNING", "BACKING_OFF", "RETRY_DUE"
SUCCEEDED, FAILED, CANCELLED = "SUCCEEDED", "FAILED", "CANCELLED"


@dataclass(eq=False)
class Call:
    id: int
    task: Task
    function: str
    args: bytes
    index: int  # what R-CALL-4 hashes: a root's 0-based place in its task, a subcall's id
    parent: "Attempt | None" = None  # the asking attempt; a root has none
    ref: int = 0
    depth: int = 0
    state: str = WAITING
    attempts: int = 0
    attempt: "Attempt | None" = None  # the present or last one
    backoff: Timer | None = None
    output: bytes = b""
    failure: Failure | None = None

    def outcome(self):
        return {"failure": self.failure.fields()} if self.failure else {"output": self.output}


@dataclass(eq=False)
class Attempt:
    call: Call
    number: int
    executor: int
    deadline: Timer
    live: bool = True
    gone: bool = False  # its executor has exited, and its own failure is still to be processed
    grace: Timer | None = None  # set by the cancellation
    subcalls: dict = field(default_factory=dict)  # outstanding ones by reference, in order of asking

    def occupies(self):
        """R-CALL-1: live and not suspended, or cancelled and not yet ended."""
        return not (self.live and self.subcalls)


class Calls:
    def __init__(self, model):
        self.model = model
        self.config = model.config
        self.last_call_id = 0
        # What still runs on executors, cancelled attempts included, in dispatch order.
        self.attempts = {}  # (executor, call id, attempt number) -> Attempt
        self.line = []  # the tasks whose turn comes (R-CALL-1)

    # What may start.

    def add_roots(self, task, calls):
        for given in calls:
            self.last_call_id += 1  # R-CALL-0
            index = len(task.roots)
            task.roots.append(Call(self.last_call_id, task, text(given, "function"), data(given, "args"), index))
        task.calls_known += len(calls)
        self.join_line(task)

    def in_flight(self, task):
        """R-CALL-2: live root attempts, suspended ones included."""
        return sum(1 for a in self.attempts.values() if a.live and a.call.task is task and not a.call.parent)

    def _next(self, task):
        """The call that the task would start in its turn; none: it is not startable (R-CALL-1)."""
        if task.phase != CALLS or not self.model.tasks.admission.executor_task.holds(task.id, task.run):
            return None
        for call in sorted(task.subcalls.values(), key=lambda call: call.id):
            if call.state in (WAITING, RETRY_DUE):
                return call
        if self.in_flight(task) >= task.window:
            return None
        waiting = [call for call in task.roots if call.state == WAITING]
        return (task.due_retries + waiting + [None])[0]

    def startable(self, task):
        return self._next(task) is not None

    def join_line(self, task):
        """To be called wherever a task may have become startable: it joins the end, or keeps its place."""
        if task not in self.line and self.startable(task):
            self.line.append(task)

    def dispatch(self):
        """R-CALL-1: one call a turn, while there is an executor and a startable task."""
        while self.line:
            executor = self.model.executors.least_occupied()
            if executor is None:
                return
            task = self.line.pop(0)
            call = self._next(task)
            if call:
                self._start(call, executor)
                self.join_line(task)

    def _start(self, call, executor):
        task = call.task
        if call.state == RETRY_DUE and not call.parent:
            task.due_retries.remove(call)
        call.state = RUNNING
        call.attempts += 1
        deadline = self.model.timer(self.config.call_deadline)
        deadline = deadline._replace(deadline=min(deadline.deadline, task.deadline.deadline))  # R-CALL-3
        call.attempt = Attempt(call, call.attempts, executor, deadline)
        self.attempts[executor, call.id, call.attempts] = call.attempt
        self.model.emit(
            "dispatchCall", executorId=executor, callId=call.id, taskId=task.id, run=task.run, attempt=call.attempts,
            deadlineUs=deadline.deadline, function=call.function, args=call.args, taskCodeEpoch=task.epoch)

    def occupying(self, executor):
        return sum(1 for a in self.attempts.values() if a.executor == executor and a.occupies())

    def judge_streams(self):
        """R-STREAM: once, at the end of settling, on root calls without any attempt yet."""
        for task in self.model.tasks.active.values():
            stream = task.stream
            if not stream or not stream.started or stream.ended:
                continue
            buffered = sum(1 for call in task.roots if call.attempts == 0)
            if not stream.paused and buffered >= self.config.max_buffered_calls:
                stream.paused = True
                self.model.emit("pauseCallStream", taskId=task.id, run=task.run)
            elif stream.paused and buffered <= self.config.max_buffered_calls // 2:
                stream.paused = False
                self.model.emit("resumeCallStream", taskId=task.id, run=task.run)

    # Reports.

    def _ended(self, fields):
        """Takes the reported attempt off its executor; the attempt, if it was still live."""
        key = number(fields, "executorId"), number(fields, "callId"), number(fields, "attempt")
        attempt = self.attempts.pop(key, None)
        if not attempt or not attempt.live:
            return None  # unknown (R-EV-1), or cancelled before: no longer occupies (R-CALL-6)
        attempt.live = False
        return attempt

    def succeeded(self, fields):
        attempt = self._ended(fields)
        if not attempt:
            return
        call, output = attempt.call, data(fields, "output")
        task = call.task
        self._cancel_subcalls(attempt)
        if call.parent:
            call.state = SUCCEEDED
            self._deliver(call, {"output": output})
            return
        if task.output_bytes + len(output) > self.config.max_output_bytes:
            self.model.tasks.fail(task, Failure("CALL_FAILED", False))  # R-LIM
            return
        task.output_bytes += len(output)
        call.state, call.output = SUCCEEDED, output
        task.window = min(task.window + 1, self.config.window_max)  # R-CALL-2
        self.join_line(task)
        self.check_done(task)

    def failed(self, fields):
        attempt = self._ended(fields)
        if attempt:
            self._cancel_subcalls(attempt)
            self._attempt_failed(attempt, Failure.reported(fields, "CALL_FAILED"))

    def executor_exited(self, executor):
        """R-CALL-7. Nothing runs there any more, so no cancelCall goes there; each live attempt fails in its turn."""
        lost = [a for a in self.attempts.values() if a.executor == executor]
        for attempt in lost:
            attempt.gone = True
            if not attempt.live:
                self._forget(attempt)
        for attempt in lost:
            if attempt.live:  # not cancelled with its parent or its task before its turn
                attempt.live = False
                self._forget(attempt)
                self._cancel_subcalls(attempt)
                self._attempt_failed(attempt, Failure("EXECUTOR_LOST", True))

    def _forget(self, attempt):
        del self.attempts[attempt.executor, attempt.call.id, attempt.number]

    def subcall_requested(self, fields):
        """R-SUBC."""
        key = number(fields, "executorId"), number(fields, "parentCallId"), number(fields, "parentAttempt")
        parent, ref = self.attempts.get(key), number(fields, "subcallRef")
        if not parent or not parent.live or ref in parent.subcalls:
            return
        task, depth = parent.call.task, parent.call.depth + 1
        if depth > self.config.max_subcall_depth:
            self._deliver_to(parent, ref, {"failure": Failure("SUBCALL_DEPTH_EXCEEDED", False).fields()})
        elif task.calls_known >= self.config.max_calls_per_task:
            self._deliver_to(parent, ref, {"failure": Failure("CALL_FAILED", False).fields()})  # R-LIM
        else:
            self.last_call_id += 1
            task.calls_known += 1
            call = Call(self.last_call_id, task, text(fields, "function"), data(fields, "args"), self.last_call_id,
                        parent, ref, depth)
            parent.subcalls[ref] = call
            task.subcalls[call.id] = call
            self.join_line(task)

    # What becomes of an attempt and its call.

    def _attempt_failed(self, attempt, failure):
        """The attempt has ended already; its failure moves the window, then is retried or is for good."""
        call, task = attempt.call, attempt.call.task
        if not call.parent:
            task.window = max(task.window // 2, self.config.window_initial)  # R-CALL-2
        if failure.retryable and attempt.number < task.retry.max_attempts:
            delay = retry_delay(task.id, call.index, attempt.number, task.retry, self.config.max_backoff)
            call.state, call.backoff = BACKING_OFF, self.model.timer(delay)
            self.join_line(task)
        elif call.parent:
            call.state = FAILED
            self._deliver(call, {"failure": failure.fields()})
        else:
            call.state, call.failure = FAILED, failure
            if task.continue_on_failure:  # R-CALL-5
                self.join_line(task)
                self.check_done(task)
            else:
                self.model.tasks.fail(task, failure)

    def _deliver(self, call, outcome):
        """A subcall's end resumes the asking attempt when it was the last outstanding one."""
        del call.task.subcalls[call.id]
        del call.parent.subcalls[call.ref]
        self._deliver_to(call.parent, call.ref, outcome)

    def _deliver_to(self, parent, ref, outcome):
        self.model.emit(
            "deliverSubcall", executorId=parent.executor, parentCallId=parent.call.id, subcallRef=ref, **outcome)

    def _cancel_subcalls(self, attempt):
        """The end of an attempt cancels its subcalls, theirs included, without delivery: depth first."""
        for call in attempt.subcalls.values():
            call.state, call.backoff = CANCELLED, None
            del call.task.subcalls[call.id]
            if call.attempt:
                self._cancel(call.attempt)
                self._cancel_subcalls(call.attempt)
        attempt.subcalls.clear()

    def _cancel(self, attempt):
        """R-CALL-6: it occupies its executor until its end is reported."""
        if not attempt.live:
            return
        attempt.live = False
        if attempt.gone:
            self._forget(attempt)
        else:
            attempt.grace = self.model.timer(self.config.cancel_grace)
            self.model.emit("cancelCall", executorId=attempt.executor, callId=attempt.call.id, attempt=attempt.number)

    def check_done(self, task):
        """The phase is done when the stream, if any, has ended and every call is done (R-STREAM, R-PH-4)."""
        done = all(call.state in (SUCCEEDED, FAILED) for call in task.roots)
        if done and task.phase == CALLS and not (task.stream and not task.stream.ended):
            self.model.tasks.calls_done(task)

    def abandon(self, task):
        """The task ended: it leaves the line, and its calls in flight are cancelled in dispatch order (R-END-1)."""
        if task in self.line:
            self.line.remove(task)
        for attempt in list(self.attempts.values()):
            if attempt.call.task is task:
                self._cancel(attempt)
                attempt.subcalls.clear()
        for call in task.roots + list(task.subcalls.values()):
            if call.state not in (SUCCEEDED, FAILED):
                call.state, call.backoff = CANCELLED, None
        task.subcalls.clear()
        task.due_retries.clear()

    # Timers (R-TIME-6).

    def deadlines(self):
        return [(attempt.deadline, attempt) for attempt in self.attempts.values() if attempt.live]

    def timed_out(self, attempt):
        """R-CALL-3: the attempt itself is cancelled before its subcalls are."""
        self._cancel(attempt)
        self._cancel_subcalls(attempt)
        self._attempt_failed(attempt, Failure("CALL_TIMED_OUT", True))

    def graces(self):
        """There is nothing left to kill on an executor that was killed (R-EX-6)."""
        killed = self.model.executors.killed
        return [(a.grace, a.executor) for a in self.attempts.values() if a.grace and not killed(a.executor)]

    def backoffs(self):
        calls = [call for task in self.model.tasks.active.values()
                 for call in task.roots + list(task.subcalls.values())]
        return [(call.backoff, call) for call in calls if call.backoff]

    def retry_due(self, call):
        """A subcall waits among its task's subcalls again, a root among the retries."""
        call.state, call.backoff = RETRY_DUE, None
        if not call.parent:
            call.task.due_retries.append(call)
        self.join_line(call.task)

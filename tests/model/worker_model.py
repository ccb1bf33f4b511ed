"""A reference model of the engine's contract: the same events, replies and commands as the engine, in plain Python.

Written from the contract alone and for reading: every question is answered by looking through all that there is, and
nothing is indexed. Events, replies and commands are dictionaries in the text form's names (docs/text-form.md), with
Python integers and bytes. Counters and the state digest are not modelled.
"""

from model_basics import Config, Refused, Timer, saturate
from model_calls import Calls
from model_executors import Executors
from model_tasks import Tasks
from model_watches import Watches


class Model:
    def __init__(self, config):
        self.config = Config(config)
        self.now = None  # before the first event
        self.last_tick = None
        self.timers_set = 0
        self.commands = []
        self.draining = False
        self.stopped = False
        self.registered = False  # RegisterWorker was emitted
        self.deregistered = False
        self.drained = False  # DrainComplete was emitted
        self.drain_timer = None
        self.tasks = Tasks(self)
        self.calls = Calls(self)
        self.executors = Executors(self)
        self.watches = Watches(self)
        self._events = self._event_table()
        self.timer_kinds = self._timer_table()

    def _event_table(self):
        tasks, calls, executors, watches = self.tasks, self.calls, self.executors, self.watches
        return {
            "requestTaskSlot": tasks.request_slot,
            "submitTask": tasks.submit,
            "getTaskResult": tasks.get_result,
            "openWatch": watches.open_watch,
            "closeWatch": watches.close_watch,
            "activationPrepared": tasks.activation_prepared,
            "activationFailed": tasks.activation_failed,
            "builderFinished": tasks.builder_finished,
            "callsAppended": tasks.calls_appended,
            "callStreamEnded": tasks.stream_ended,
            "writerFinished": tasks.writer_finished,
            "executorConnected": executors.connected,
            "executorHeartbeat": executors.heartbeat,
            "executorExited": executors.exited,
            "callSucceeded": calls.succeeded,
            "callFailed": calls.failed,
            "subcallRequested": calls.subcall_requested,
            "start": executors.start,
            "tick": self._tick,
            "beginDrain": self._begin_drain,
            "forceStop": self._force_stop,
        }

    def _timer_table(self):
        """R-TIME-6, in its order: on the grid (R-TIME-7) or exact, what is pending, what a due one does."""
        tasks, calls, executors = self.tasks, self.calls, self.executors
        grid, exact = True, False
        return [
            (grid, tasks.leases, tasks.lease_expired),
            (exact, tasks.deadlines, tasks.timed_out),
            (grid, tasks.graces, tasks.watch_disconnected),
            (grid, tasks.purges, tasks.purge),
            (exact, calls.deadlines, calls.timed_out),
            (exact, calls.graces, executors.cancel_grace_over),
            (exact, calls.backoffs, calls.retry_due),
            (exact, executors.start_timeouts, executors.start_timed_out),
            (grid, executors.heartbeat_timeouts, executors.heartbeat_timed_out),
            (grid, executors.stalls, executors.wedged),
            (exact, executors.outages, executors.outage_began),
            (exact, executors.restarts, executors.restart),
            (exact, self._drain_timeouts, lambda _: self._stop()),
        ]

    # The door.

    def apply(self, now_us, event):
        """One step: (reply or None, commands)."""
        self.now = now_us if self.now is None else max(self.now, now_us)  # R-TIME-2
        self.commands = []
        ((name, fields),) = event.items()
        try:
            reply = self._events[name](fields)
        except Refused as refusal:
            return {"error": {"code": refusal.code}}, []
        self._settle()
        return reply, self.commands

    def _settle(self):
        """R-EV-3."""
        self.tasks.grant_permits()
        self.calls.dispatch()
        self.calls.judge_streams()

    def emit(self, name, **fields):
        self.commands.append({name: fields})

    def timer(self, delay):
        """A deadline that far from now, next in the order of those set."""
        self.timers_set += 1
        return Timer(saturate(self.now + delay), self.timers_set)

    # Time.

    def _tick(self, _fields):
        on_grid = self._grid_point_passed()
        self.last_tick = self.now
        for grid, pending, act in self.timer_kinds:
            if grid and not on_grid:
                continue
            due = sorted((timer, index) for index, (timer, _) in enumerate(pending()) if timer.deadline <= self.now)
            for timer in [timer for timer, _ in due]:
                # One that an earlier one of its kind made void is no longer pending.
                for what in [what for other, what in pending() if other == timer]:
                    act(what)

    def _grid_point_passed(self):
        """R-TIME-7: a grid point lies in (previous Tick, now]; the first Tick always runs."""
        interval = self.config.tick_interval
        if self.last_tick is None or interval == 0:
            return True
        return self.now // interval > self.last_tick // interval

    def _grid_point(self, deadline):
        """The first grid point at or past the deadline and past the last Tick (R-TIME-8)."""
        interval = self.config.tick_interval
        if interval == 0:
            return deadline
        point = -(-deadline // interval)
        if self.last_tick is not None:
            point = max(point, self.last_tick // interval + 1)
        return saturate(point * interval)

    def next_deadline_us(self):
        """R-TIME-8; nothing pending: None."""
        instants = [
            self._grid_point(timer.deadline) if grid else timer.deadline
            for grid, pending, _ in self.timer_kinds
            for timer, _ in pending()
        ]
        return min(instants, default=None)

    # Registration, drain, stop.

    def first_ready(self):
        """R-EX-2; a Worker that first becomes ready while draining does not register (R-DR-3)."""
        if not self.draining:
            self.registered = True
            self.emit("registerWorker")

    def _deregister(self):
        """Once, and only what was registered (R-DR-3)."""
        if self.registered and not self.deregistered:
            self.deregistered = True
            self.emit("deregisterWorker")

    def _begin_drain(self, _fields):
        if self.draining or self.stopped:
            return
        self.draining = True
        self._deregister()
        self.drain_timer = self.timer(self.config.drain_timeout)
        self.check_drained()

    def check_drained(self):
        """R-DR-1: no active task left. During a stop it is not clean, and said at its end."""
        if self.draining and not self.stopped and not self.drained and not self.tasks.active:
            self._drain_complete(clean=True)

    def _drain_complete(self, clean):
        self.drained = True
        self.drain_timer = None
        self.emit("drainComplete", clean=clean)

    def _drain_timeouts(self):
        return [(self.drain_timer, None)] if self.drain_timer else []

    def _force_stop(self, _fields):
        if not self.stopped:
            self._stop()

    def _stop(self):
        """R-DR-2."""
        self.stopped = True
        self._deregister()
        self.tasks.shut_down()
        self.watches.stop()
        self.executors.stop()
        self.drain_timer = None
        if not self.drained:
            self._drain_complete(clean=False)

"""The contract's invariants that can be seen in the model or in what it emits."""

from model_executors import HEALTHY
from model_tasks import ALLOCATED, BUILDER, CALLS, FREE, PLUGIN, PREPARING, RUNNING, TERMINAL

PHASES = [PREPARING, BUILDER, CALLS, PLUGIN, TERMINAL]


class Watchdog:
    """Follows one model, step by step; raises AssertionError with the invariant's number."""

    def __init__(self, model):
        self.model = model
        self.phases = {}  # run -> the furthest phase seen
        self.once = set()  # what must not be emitted twice
        self.tick_before = None  # when the last Tick was
        self.timers_before = 0  # how many deadlines were set before this step

    def check(self, event, reply, commands):
        refused = reply is not None and "error" in reply
        assert not (refused and commands), "9: a refused request commands nothing"
        self._slots()
        self._phases()
        self._permits()
        self._dispatch()
        self._emitted(commands)
        if "tick" in event:
            self._nothing_overdue()
        self.timers_before = self.model.timers_set
        self.tick_before = self.model.last_tick

    def _slots(self):
        tasks = self.model.tasks
        held = {index: task_id for task_id, index in tasks.reserved.items()}
        held |= {task.slot: task.id for task in tasks.active.values()}
        assert len(held) == len(tasks.reserved) + len(tasks.active), "1: a slot belongs to one task"
        for index, slot in enumerate(tasks.slots):
            assert slot.task_id == held.get(index), "1: slot and task name each other"
            assert (slot.state == FREE) == (slot.task_id is None), "1: a free slot is nobody's"
            assert (slot.state == ALLOCATED) == (slot.lease is not None), "1: an allocated slot has a lease"
        for task in tasks.active.values():
            expected = ALLOCATED if task.phase == PREPARING else RUNNING
            assert tasks.slots[task.slot].state == expected, "1: the slot's state is the phase's"
        ids = [*tasks.reserved, *tasks.active, *tasks.retained]
        assert len(ids) == len(set(ids)), "2: a task id is in one index"
        assert tasks.retained_bytes == sum(ended.size for ended in tasks.retained.values()), "retained bytes"

    def _phases(self):
        for task in self.model.tasks.active.values():
            before, now = self.phases.get(task.run, 0), PHASES.index(task.phase)
            assert now >= before, "4: phases only move forward"
            self.phases[task.run] = now

    def _permits(self):
        tasks = self.model.tasks
        for stage in tasks.admission.stages():
            assert len(stage.holders) <= stage.limit, "5: permits within the limit"
            assert not stage.queue or len(stage.holders) == stage.limit, "5: no waiter beside a free permit"
            assert all(tasks.active.get(task.id) is task for task in stage.queue), "3: the ended wait for nothing"
        for task_id, run in tasks.admission.executor_task.holders:
            task = tasks.active[task_id]
            assert task.run == run and task.phase == CALLS, "5: executor-task permits belong to tasks in Calls"

    def _dispatch(self):
        model = self.model
        startable = [task for task in model.tasks.active.values() if model.calls.startable(task)]
        assert not startable or model.executors.least_occupied() is None, "6: no startable task beside an idle executor"
        assert all(task in model.calls.line for task in startable), "6: who is startable stands in the line"
        for attempt in model.calls.attempts.values():
            if attempt.live:
                assert model.tasks.active.get(attempt.call.task.id) is attempt.call.task, "3: nothing runs on"
                assert attempt.call.attempt is attempt, "one live attempt a call"

    def _emitted(self, commands):
        once = {"startBuilder", "startWriter", "startCallStream", "prepareActivation", "convergeTask"}
        for command in commands:
            ((name, fields),) = command.items()
            key = None
            if name in once:
                key = name, fields["run"]
            elif name in ("killExecutor", "spawnExecutor"):
                key = name, fields["executorId"], fields["generation"]
            elif name in ("registerWorker", "deregisterWorker", "drainComplete"):
                key = (name,)
            elif name == "dispatchCall":
                key = name, fields["callId"], fields["attempt"]
                assert ("convergeTask", fields["run"]) not in self.once, "3: nothing starts after the convergence"
                assert self.model.executors.pool[fields["executorId"]].state == HEALTHY, "R-EX-6"
            if key:
                assert key not in self.once, f"3, 4: {key} twice"
                self.once.add(key)

    def _nothing_overdue(self):
        """What the Tick itself set with a delay of 0 waits for the next one, unless its kind's turn was to come;
        and what fell due at a grid point that an earlier Tick had used waits for the next grid point."""
        model = self.model
        interval = model.config.tick_interval
        on_grid = not interval or self.tick_before is None or model.now // interval > self.tick_before // interval
        for grid, pending, _ in model.timer_kinds:
            for timer, _ in pending():
                overdue = timer.deadline <= model.now and (on_grid or not grid)
                assert not overdue or timer.order > self.timers_before, "8: nothing due is left after a Tick"

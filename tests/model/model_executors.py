"""Executor health: start, heartbeats, wedges, kills, restarts, pool outage."""

from dataclasses import dataclass, field

from model_basics import Timer, number, saturate

ABSENT, STARTING, HEALTHY, KILLED = "ABSENT", "STARTING", "HEALTHY", "KILLED"


@dataclass
class Executor:
    id: int
    generation: int = 0
    state: str = ABSENT
    start_timeout: Timer | None = None  # while STARTING
    heartbeat_timeout: Timer | None = None  # while HEALTHY
    stall_activity: int = 0  # the scheduler activity value that the stall is about
    stall_timeout: Timer | None = None  # while HEALTHY and stalled
    restart: Timer | None = None  # while ABSENT
    restarted_at: list = field(default_factory=list)  # instants of its restarts, not of its first start


class Executors:
    def __init__(self, model):
        self.model = model
        self.config = model.config
        self.pool = [Executor(index) for index in range(self.config.executor_count)]
        self.started = False
        self.ready = False  # once an executor was healthy (R-EX-2)
        self.outage = False  # R-EX-7
        self.outage_timer = None

    def healthy(self):
        return [executor for executor in self.pool if executor.state == HEALTHY]

    def killed(self, executor_id):
        return self.pool[executor_id].state == KILLED

    def least_occupied(self):
        """R-CALL-1: the healthy one with fewest occupying attempts below the limit, then the lowest id."""
        occupying = self.model.calls.occupying
        candidates = [(occupying(executor.id), executor.id) for executor in self.healthy()]
        candidates = [pair for pair in candidates if pair[0] < self.config.executor_max_calls]
        return min(candidates)[1] if candidates else None

    # Events.

    def start(self, _fields):
        """R-EX-1; twice, or after a stop, it does nothing (R-DR-3)."""
        if self.started or self.model.stopped:
            return
        self.started = True
        for executor in self.pool:
            self._spawn(executor)

    def _spawn(self, executor):
        executor.generation += 1
        executor.state = STARTING
        executor.restart = None
        executor.start_timeout = self.model.timer(self.config.start_timeout)
        self.model.emit("spawnExecutor", executorId=executor.id, generation=executor.generation)

    def _reported(self, fields):
        """The executor that a report is about, if it is of the present generation and has a process."""
        index = number(fields, "executorId")
        executor = self.pool[index] if 0 <= index < len(self.pool) else None
        if executor and executor.state != ABSENT and executor.generation == number(fields, "generation"):
            return executor
        return None

    def connected(self, fields):
        executor = self._reported(fields)
        if not executor or executor.state != STARTING:
            return
        executor.state = HEALTHY
        executor.start_timeout = None
        executor.heartbeat_timeout = self.model.timer(self.config.heartbeat_timeout)
        self.outage, self.outage_timer = False, None
        if not self.ready:
            self.ready = True
            self.model.first_ready()

    def heartbeat(self, fields):
        executor = self._reported(fields)
        if not executor or executor.state != HEALTHY:
            return
        executor.heartbeat_timeout = self.model.timer(self.config.heartbeat_timeout)
        activity = number(fields, "lastSchedulerActiveAtMs")
        if number(fields, "runningCallId") == 0:
            executor.stall_timeout = None
        elif not executor.stall_timeout or executor.stall_activity != activity:
            executor.stall_activity = activity
            # R-EX-4: due when *more* than the time-out has passed.
            executor.stall_timeout = self.model.timer(self.config.stall_timeout + 1)

    def exited(self, fields):
        executor = self._reported(fields)
        if not executor:
            return
        self._no_longer_healthy(executor, ABSENT)
        if self.config.restart_enabled and not self.model.stopped:
            executor.restart = self.model.timer(self._restart_delay(executor))
        self.model.calls.executor_exited(executor.id)

    def _restart_delay(self, executor):
        """R-EX-5."""
        since = saturate(self.model.now - self.config.restart_window)
        recent = sum(1 for instant in executor.restarted_at if instant > since)
        return self.config.restart_backoff if recent + 1 >= self.config.max_restarts else self.config.restart_delay

    def _no_longer_healthy(self, executor, state):
        was_healthy = executor.state == HEALTHY
        executor.state = state
        executor.start_timeout = executor.heartbeat_timeout = executor.stall_timeout = None
        if was_healthy and not self.healthy():
            self.outage_timer = self.model.timer(self.config.heartbeat_timeout)  # R-EX-7

    def kill(self, executor, reason):
        """R-EX-6: at most once a generation."""
        if executor.state in (STARTING, HEALTHY):
            self.model.emit("killExecutor", executorId=executor.id, generation=executor.generation, reason=reason)
            self._no_longer_healthy(executor, KILLED)

    def stop(self):
        """R-DR-2: killed and not restarted."""
        for executor in self.pool:
            executor.restart = None
            self.kill(executor, "STOPPED")

    # Timers (R-TIME-6).

    def cancel_grace_over(self, executor_id):
        self.kill(self.pool[executor_id], "CANCEL_GRACE")

    def start_timeouts(self):
        return [(executor.start_timeout, executor) for executor in self.pool if executor.start_timeout]

    def start_timed_out(self, executor):
        self.kill(executor, "START_TIMEOUT")

    def heartbeat_timeouts(self):
        return [(executor.heartbeat_timeout, executor) for executor in self.pool if executor.heartbeat_timeout]

    def heartbeat_timed_out(self, executor):
        self.kill(executor, "HEARTBEAT_TIMEOUT")

    def stalls(self):
        return [(executor.stall_timeout, executor) for executor in self.pool if executor.stall_timeout]

    def wedged(self, executor):
        self.kill(executor, "WEDGED")

    def outages(self):
        return [(self.outage_timer, None)] if self.outage_timer else []

    def outage_began(self, _):
        self.outage, self.outage_timer = True, None

    def restarts(self):
        return [(executor.restart, executor) for executor in self.pool if executor.restart]

    def restart(self, executor):
        executor.restarted_at.append(self.model.now)
        self._spawn(executor)

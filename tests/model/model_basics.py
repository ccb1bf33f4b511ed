"""Small things that every part of the model uses: configuration, fields of events, timers, integer arithmetic."""

import base64
from collections import namedtuple
from dataclasses import dataclass

INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)
UINT64_MASK = 2**64 - 1

MESSAGE_LIMIT_BYTES = 4096  # R-SLOT-2: messages are cut on entry
RESULT_OVERHEAD_BYTES = 400  # R-SLOT-2: what a retained result counts beside its contents
TASK_ID_LIMIT_BYTES = 256  # R-ARG
WATCH_LIST_LIMIT = 10_000  # R-ARG

# When it is due, and the place in the order in which deadlines were set (R-TIME-6).
Timer = namedtuple("Timer", "deadline order")


def saturate(value):
    """R-TIME-3: what would overflow 64 bits stays at the bound."""
    return max(INT64_MIN, min(INT64_MAX, value))


class Refused(Exception):
    """A request's error reply (R-ERR)."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


# The text form of one event's fields (docs/text-form.md): what is absent has its default.


def text(fields, name):
    return fields.get(name) or ""


def number(fields, name):
    return int(fields.get(name) or 0)


def flag(fields, name):
    return bool(fields.get(name))


def data(fields, name):
    return base64.b64decode(fields.get(name) or "")


@dataclass
class Failure:
    code: str
    retryable: bool
    message: str | None = None  # None: the engine's own words, which the contract leaves open

    @classmethod
    def reported(cls, fields, default_code):
        """A failure out of a report: its own code, if it has one, and its own retryable flag (R-END-2)."""
        message = text(fields, "message").encode()[:MESSAGE_LIMIT_BYTES].decode(errors="ignore")
        return cls(text(fields, "code") or default_code, flag(fields, "retryable"), message)

    def fields(self):
        return {"code": self.code, "message": self.message, "retryable": self.retryable}


@dataclass
class RetryPolicy:
    max_attempts: int
    base_backoff_us: int
    jitter_percent: int


class Config:
    """The production configuration's names (docs/text-form.md) with their defaults; times in microseconds."""

    def __init__(self, given):
        worker = given.get("worker", {})
        admission = given.get("admission", {})
        dispatcher = given.get("dispatcher", {})

        def ms(group, name, default):
            return int(group.get(name, default)) * 1000

        self.tick_interval = ms(worker, "tickIntervalMs", 500)
        self.task_slots = worker.get("taskSlots", 50)
        self.default_ttl = ms(worker, "defaultTTLMs", 5000)
        self.max_ttl_ms = worker.get("maxTTLMs", 300_000)
        self.task_deadline = ms(worker, "taskDeadlineMs", 300_000)
        self.max_task_timeout_ms = worker.get("maxTaskTimeoutMs", 28_800_000)
        self.result_retention = ms(worker, "resultRetentionMs", 300_000)
        self.watch_grace = ms(worker, "watchDisconnectGraceMs", 0)
        self.max_retained_bytes = worker.get("maxRetainedResultBytes", 2**30)
        self.max_calls_per_task = worker.get("maxCallsPerTask", 1_000_000)
        self.max_output_bytes = worker.get("maxTaskOutputBytes", 256 * 2**20)
        self.max_watches = worker.get("maxWatches", 20_000)
        self.max_watched_ids = worker.get("maxWatchedIds", 1_000_000)
        self.retry = RetryPolicy(
            worker.get("defaultMaxAttempts", 3),
            ms(worker, "defaultBaseBackoffMs", 10),
            worker.get("defaultRetryJitterPercent", 5),
        )

        self.builder_slots = admission.get("builderSlots", 16)
        self.executor_task_slots = admission.get("executorTaskSlots", 32)
        self.plugin_slots = admission.get("pluginSlots", 16)
        self.scan_slots = admission.get("scanSlots", 8)

        self.call_deadline = ms(dispatcher, "callDeadlineMs", 60_000)
        self.max_backoff = ms(dispatcher, "maxBackoffMs", 10_000)
        self.window_initial = dispatcher.get("rampUpInitialWindow", 4)
        self.window_max = dispatcher.get("rampUpMaxWindow", 64)
        self.max_subcall_depth = dispatcher.get("maxSubcallDepth", 8)
        self.cancel_grace = ms(dispatcher, "cancelGraceMs", 5000)
        self.max_buffered_calls = given.get("streamBuild", {}).get("maxBufferedCalls", 1024)

        self.executor_count = given.get("executorCount", 8)
        self.executor_max_calls = given.get("executorMaxConcurrentCalls", 1)
        self.start_timeout = ms(given, "executorStartTimeoutMs", 10_000)
        self.heartbeat_timeout = ms(given, "executorHeartbeatTimeoutMs", 10_000)
        # R-EX-4, R-CFG: 0 or absent means the call deadline and ten seconds, at least thirty.
        stall = ms(given, "schedulerStallTimeoutMs", 0)
        self.stall_timeout = stall or max(self.call_deadline + 10_000_000, 30_000_000)
        self.restart_enabled = given.get("executorRestartEnabled", True)
        self.restart_delay = ms(given, "executorRestartDelayMs", 1000)
        self.max_restarts = given.get("executorMaxRestarts", 10)
        self.restart_window = ms(given, "executorRestartWindowMs", 60_000)
        self.restart_backoff = ms(given, "executorRestartBackoffMs", 30_000)
        self.drain_timeout = ms(given, "drainTimeoutMs", 30_000)


def mix(task_id, index, attempt):
    """R-CALL-4: FNV-1a over the id, the index and the attempt, then a finaliser; all modulo 2^64."""
    z = 0xCBF29CE484222325
    for byte in task_id.encode() + index.to_bytes(8, "little") + attempt.to_bytes(8, "little"):
        z = ((z ^ byte) * 0x100000001B3) & UINT64_MASK
    z ^= z >> 30
    z = (z * 0xBF58476D1CE4E5B9) & UINT64_MASK
    z ^= z >> 27
    z = (z * 0x94D049BB133111EB) & UINT64_MASK
    return z ^ (z >> 31)


def retry_delay(task_id, index, attempt, policy, max_backoff):
    """R-CALL-4: how long after its failure the given attempt is due again, in microseconds."""
    base = min(saturate(policy.base_backoff_us << min(attempt - 1, 64)), max_backoff)
    swing = mix(task_id, index, attempt) % 20001 - 10000
    scaled = saturate(saturate(base * policy.jitter_percent) * swing)
    jitter = abs(scaled) // 1_000_000  # truncated towards zero, whatever the sign
    return saturate(base + (jitter if scaled >= 0 else -jitter))

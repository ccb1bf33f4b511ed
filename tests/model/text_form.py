"""Replies and commands of both sides in one shape, so that they can be compared (docs/text-form.md).

64-bit integers may be strings or numbers, bytes are base64, defaults may be left out: here integers are integers,
bytes are bytes and defaults are never there. A field that the text form does not name is kept, and so differs.
"""

import base64


def integer(value):
    return int(value) or None


def string(value):
    return value or None


def boolean(value):
    return bool(value) or None


def octets(value):
    raw = value if isinstance(value, bytes) else base64.b64decode(value or "", validate=True)
    return raw or None


def record(**fields):
    """A message: its presence means something even when it is empty."""

    def normalise(value):
        if value is None:
            return None
        found = {name: item for name, item in value.items() if name not in fields}
        for name, kind in fields.items():
            item = value.get(name, "" if kind is words else None)
            if kind is words or (item is not None and kind(item) is not None):
                found[name] = kind(item)
        return found

    return normalise


def several(kind):
    return lambda values: [kind(value) for value in values or []] or None


def words(value):
    """A message. None: the engine's own words; they are free, and compare equal to anything."""
    return AnyWords() if value is None else value


class AnyWords:
    def __eq__(self, other):
        return isinstance(other, (str, AnyWords))

    def __repr__(self):
        return "(any words)"


def _result(value):
    """Only what the contract fixes; counts and instants are each side's own affair."""
    compared = ("state", "failureCode", "message", "retryable", "pluginResults")
    fields = record(state=string, failureCode=string, message=words, retryable=boolean, pluginResults=octets)
    return None if value is None else fields({name: value[name] for name in compared if name in value})


FAILURE = record(code=string, message=words, retryable=boolean)
OUTCOME = record(output=octets, failure=FAILURE)
TASK = record(taskId=string, state=string, slotId=string, phase=string, leaseExpiresAtUs=integer, result=_result)
RUN = record(taskId=string, run=integer)
PROCESS = record(executorId=integer, generation=integer)

COMMANDS = {
    "prepareActivation": record(taskId=string, run=integer, slotId=string),
    "startBuilder": RUN,
    "startCallStream": RUN,
    "pauseCallStream": RUN,
    "resumeCallStream": RUN,
    "dispatchCall": record(
        executorId=integer, callId=integer, taskId=string, run=integer, attempt=integer, deadlineUs=integer,
        function=string, args=octets, taskCodeEpoch=integer),
    "cancelCall": record(executorId=integer, callId=integer, attempt=integer),
    "deliverSubcall": record(
        executorId=integer, parentCallId=integer, subcallRef=integer, output=octets, failure=FAILURE),
    "startWriter": record(taskId=string, run=integer, outcomes=several(OUTCOME)),
    "convergeTask": record(taskId=string, run=integer, result=_result),
    "notifyWatch": record(
        watchId=integer, taskId=string, state=string, phase=string, terminal=boolean, result=_result),
    "endWatch": record(watchId=integer, complete=boolean),
    "spawnExecutor": PROCESS,
    "killExecutor": record(executorId=integer, generation=integer, reason=string),
    "registerWorker": record(),
    "deregisterWorker": record(),
    "drainComplete": record(clean=boolean),
}


def reply(value):
    """An error is its code: its message is free."""
    if not value:
        return None
    if value.get("error") is not None:
        return {"error": value["error"].get("code")}
    if "task" in value:
        return {"task": TASK(value["task"])}
    return {"tasks": several(TASK)(value.get("tasks"))}


def command(value):
    ((name, fields),) = value.items()
    return {name: COMMANDS[name](fields)} if name in COMMANDS else value


def instant(value):
    return None if value is None else int(value)


def same(expected, found):
    """Equality in which the model's free words match any."""
    if isinstance(expected, AnyWords) or isinstance(found, AnyWords):
        return True
    if isinstance(expected, dict) and isinstance(found, dict):
        names = set(expected) | set(found)
        return all(_same_field(name, expected, found) for name in names)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(same, expected, found))
    return expected == found


def _same_field(name, expected, found):
    free = isinstance(expected.get(name), AnyWords)
    return free or (name in expected and name in found and same(expected[name], found[name]))

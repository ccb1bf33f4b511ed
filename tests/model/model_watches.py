"""Who is told of what."""

from dataclasses import dataclass

from model_basics import WATCH_LIST_LIMIT, Refused, number
from model_tasks import TERMINAL


@dataclass
class Watch:
    ids: list  # the distinct task ids, in the order named
    pending: set  # those whose end it was not told of


class Watches:
    def __init__(self, model):
        self.model = model
        self.config = model.config
        self.open = {}  # watch id -> Watch

    def attached(self, task_id):
        return any(task_id in watch.pending for watch in self.open.values())

    def open_watch(self, fields):
        """Checks in this order: arguments, stopped, limits. A refused one changes nothing (R-W-1)."""
        watch_id, named = number(fields, "watchId"), fields.get("taskIds") or []
        if not 1 <= len(named) <= WATCH_LIST_LIMIT:
            raise Refused("INVALID_ARGUMENT")
        for task_id in named:
            self.model.tasks.check_id(task_id)
        if self.model.stopped:
            raise Refused("UNAVAILABLE")
        ids = list(dict.fromkeys(named))
        others = [watch for other, watch in self.open.items() if other != watch_id]
        watched = sum(len(watch.ids) for watch in others)
        if len(others) >= self.config.max_watches or watched + len(ids) > self.config.max_watched_ids:
            raise Refused("NO_SLOT")  # R-LIM
        self._close(watch_id)
        tasks = self.model.tasks
        self.open[watch_id] = Watch(ids, {task_id for task_id in ids if task_id not in tasks.retained})
        for task_id in ids:
            if task_id in tasks.active:
                tasks.active[task_id].grace = None  # R-W-3
        self._end_if_complete(watch_id)
        return {"tasks": [tasks.view(task_id) for task_id in ids if tasks.known(task_id)]}

    def close_watch(self, fields):
        self._close(number(fields, "watchId"))

    def _close(self, watch_id):
        """R-W-3: the last detach of an active task starts its grace."""
        watch = self.open.pop(watch_id, None)
        if not watch or not self.config.watch_grace:
            return
        for task_id in watch.ids:
            task = self.model.tasks.active.get(task_id)
            if task and task_id in watch.pending and not self.attached(task_id):
                task.grace = self.model.timer(self.config.watch_grace)

    def phase_entered(self, task):
        for watch_id, watch in sorted(self.open.items(), key=lambda item: item[0]):
            if task.id in watch.pending:
                self._notify(watch_id, task, state="RUNNING", phase=task.phase)

    def task_ended(self, task, result):
        """R-W-2: the terminal state, once for each watch and task; then the watch's end if it was the last."""
        for watch_id, watch in sorted(self.open.items(), key=lambda item: item[0]):
            if task.id in watch.pending:
                watch.pending.remove(task.id)
                self._notify(watch_id, task, state=result["state"], phase=TERMINAL, terminal=True, result=result)
                self._end_if_complete(watch_id)

    def _notify(self, watch_id, task, **what):
        self.model.emit("notifyWatch", watchId=watch_id, taskId=task.id, **what)

    def _end_if_complete(self, watch_id):
        if not self.open[watch_id].pending:
            del self.open[watch_id]
            self.model.emit("endWatch", watchId=watch_id, complete=True)

    def stop(self):
        """R-DR-2: every watch ends."""
        for watch_id in sorted(self.open):
            self.model.emit("endWatch", watchId=watch_id, complete=False)
        self.open.clear()

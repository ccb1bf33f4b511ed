"""The permits of the four stages: first come, first served."""


class Stage:
    """One kind of permit: who holds one, and who waits for one. Both hold runs, which are unique (R-SUB-4)."""

    def __init__(self, limit):
        self.limit = limit
        self.holders = set()
        self.queue = []  # tasks, in the order in which they asked (R-ADM-1)

    def ask(self, task):
        self.queue.append(task)

    def leave(self, task):
        """A task that ends while queued leaves the queue (R-ADM-1)."""
        if task in self.queue:
            self.queue.remove(task)

    def grant(self):
        """The tasks whose turn it is, in order; never above the limit (R-ADM-3)."""
        granted = []
        while self.queue and len(self.holders) < self.limit:
            task = self.queue.pop(0)
            self.holders.add((task.id, task.run))
            granted.append(task)
        return granted

    def holds(self, task_id, run):
        return (task_id, run) in self.holders

    def give_back(self, task_id, run):
        self.holders.discard((task_id, run))


class Admission:
    def __init__(self, config):
        self.builder = Stage(config.builder_slots)
        self.scan = Stage(config.scan_slots)
        self.executor_task = Stage(config.executor_task_slots)
        self.plugin = Stage(config.plugin_slots)

    def stages(self):
        """In the order in which a step grants them (R-EV-3)."""
        return [self.builder, self.scan, self.executor_task, self.plugin]

// Draws the rows of slots and executors. Only what is in sight is drawn, and of what shares a pixel only the first,
// unless it failed: failures never disappear behind others.
class SpanPainter {
  static #DETAIL = 4;  // Pixels from which on the steps of a run can be told apart.

  constructor(app, context) {
    this.app = app;
    this.data = app.data;
    this.context = context;
  }

  slotRow(row, top) {
    const { runs, leases } = this.data;
    this.#each(row.leases, leases, (lease, x, width) => this.#lease(lease, x, top, width, row.height));
    this.#each(row.runs, runs, (run, x, width) => this.#run(run, x, top, width, row.height), (run) => this.data.failed(run));
  }

  executorRow(row, top) {
    const { attempts, lives } = this.data;
    this.#each(row.lives, lives, (life, x, width) => this.#life(life, x, top, width, row.height));
    this.#each(row.attempts, attempts, (attempt, x, width) => this.#attempt(attempt, x, top, width, row.height),
      (attempt) => attempts.outcome[attempt] !== "succeeded");
  }

  // Calls `paint` for what is in sight; `stands` tells what must not be hidden.
  #each(items, table, paint, stands = () => false) {
    const { view } = this.app;
    let painted = -Infinity;
    const standing = [];
    for (let i = SpanPainter.firstInSight(items, table, view.from); i < items.length; ++i) {
      const item = items[i];
      if (table.begin[item] > view.to) break;
      const begin = view.x(table.begin[item]);
      const end = view.x(table.end[item]);
      if (stands(item) && end - begin < SpanPainter.#DETAIL) {
        if (standing.length === 0 || end > standing.at(-1).begin + 2) standing.push({ item, begin, end });
        continue;
      }
      if (end <= painted) continue;
      const from = Math.max(begin, painted);
      const width = Math.max(end - from, 0.7);
      paint(item, from, width);
      painted = width > 1 ? from + width : Math.floor(from) + 1;
    }
    for (const { item, begin, end } of standing) paint(item, begin, Math.max(end - begin, 2));
  }

  // The place of the first of `items`, which do not overlap, that ends after `from`.
  static firstInSight(items, table, from) {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (table.end[items[middle]] >= from) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #dim(isFaint) {
    this.context.globalAlpha = isFaint ? 0.13 : 1;
  }

  #run(run, x, top, width, height) {
    const { context } = this;
    const { theme, filter } = this.app;
    this.#dim(filter.hides(this.data.runs.task[run], this.data.failed(run)));
    if (width < SpanPainter.#DETAIL) {
      context.fillStyle = this.data.failed(run) ? theme.failed : theme.calls;
      context.fillRect(x, top, width, height);
    } else {
      this.#steps(run, top, height);
      this.#ending(run, x, top, width, height);
    }
    context.globalAlpha = 1;
  }

  #steps(run, top, height) {
    const { context } = this;
    const { theme, view } = this.app;
    let widest = { width: 0 };
    for (const { step, begin, end } of this.data.stepsOf(run)) {
      const from = Math.max(view.x(begin), view.left - 4);
      const to = Math.min(view.x(end), view.left + view.width + 4);
      if (step === 0 || to - from < 0.3) continue;
      context.fillStyle = theme.steps[step];
      context.fillRect(from, top, Math.max(to - from, 0.7), height);
      if (to - from > widest.width) widest = { step, from, width: to - from };
    }
    if (height >= 11 && widest.width > 30) this.#label(this.data.texts[this.data.runs.task[run]], widest, top, height);
  }

  #label(text, { step, from, width }, top, height) {
    const { context } = this;
    const { theme } = this.app;
    const shown = this.app.fitted(text, width - 8);
    if (!shown) return;
    context.fillStyle = Theme.WAITS[step] ? theme.text : theme["on-step"];
    context.fillText(shown, from + 4, top + height / 2 + 0.5);
  }

  // How it ended, or that it has not.
  #ending(run, x, top, width, height) {
    const { context } = this;
    const { theme } = this.app;
    const state = this.data.runs.state[run];
    if (state === "SUCCEEDED") return;
    if (state === "FAILED") {
      context.fillStyle = theme.failed;
      context.fillRect(x, top + height - 2, width, 2);
      context.fillRect(x + width - 3, top, 3, height);
      return;
    }
    context.fillStyle = state === "UNKNOWN" ? theme.lost : theme.text;
    for (let y = top; y < top + height; y += 4) context.fillRect(x + width - 2, y, 2, 2);
  }

  #lease(lease, x, top, width, height) {
    const { context } = this;
    this.#dim(this.app.filter.hides(this.data.leases.task[lease], false));
    context.fillStyle = this.app.theme.hatch(this.app.theme.reserved);
    context.fillRect(x, top, width, height);
    context.globalAlpha = 1;
  }

  // The ground on which an executor's calls stand: there is none while no process is up.
  #life(life, x, top, width, height) {
    const { context } = this;
    const { theme, view } = this.app;
    const { begin, end, spawned, connected, killed } = this.data.lives;
    context.fillStyle = theme.band;
    context.fillRect(x, top, width, height);
    const part = (from, to, fill) => {
      const left = Math.max(view.x(from), x);
      const right = Math.min(view.x(to), x + width);
      if (!(right - left > 0)) return;
      context.fillStyle = fill;
      context.fillRect(left, top, Math.max(right - left, 1), height);
    };
    const up = Number.isNaN(connected[life]) ? end[life] : connected[life];
    if (!Number.isNaN(spawned[life])) part(begin[life], up, theme.hatch(theme.muted));
    if (!Number.isNaN(killed[life])) part(killed[life], end[life], theme.hatch(theme.failed));
    if (!Number.isNaN(this.data.lives.exited[life])) {
      context.fillStyle = theme.failed;
      context.fillRect(x + width - 1.5, top, 1.5, height);
    }
  }

  #attempt(attempt, x, top, width, height) {
    const { context } = this;
    const { theme, filter, view } = this.app;
    const { attempts, calls, runs } = this.data;
    const run = this.data.runOfAttempt(attempt);
    const outcome = attempts.outcome[attempt];
    const bad = outcome === "failed" || outcome === "executor exited";
    this.#dim(filter.hides(runs.task[run], bad || this.data.failed(run)));
    const ground = calls.parent[attempts.call[attempt]] >= 0 ? theme.subcall : theme.calls;
    context.fillStyle = bad ? theme.failed : outcome === "unknown" ? theme.lost : ground;
    const inset = height > 10 ? 2 : 1;
    context.fillRect(x, top + inset, width > 3 ? width - 0.6 : width, height - 2 * inset);
    const cancelled = attempts.cancelled[attempt];
    if (width > 3 && cancelled < attempts.end[attempt]) {
      const from = Math.max(x, view.x(cancelled));
      context.fillStyle = theme.ground;
      context.fillRect(from, top + height / 2 - 1, x + width - from, 2);
    }
    if (height >= 14 && width > 40) {
      this.#label(this.data.texts[runs.task[run]], { step: CALLS_STEP, from: x, width }, top, height);
    }
    context.globalAlpha = 1;
  }

  // Around the chosen task wherever it stands, with a line down to each of its attempts.
  choice(run, topOf) {
    const { context } = this;
    const { theme, view, rows } = this.app;
    const slotRow = rows.slotRow(run);
    const slotTop = topOf(slotRow);
    context.strokeStyle = context.fillStyle = theme.chosen;
    context.lineWidth = 2;
    const frame = (begin, end, top, height) => {
      const x = view.x(begin);
      context.strokeRect(x - 1, top - 1, Math.max(view.x(end) - x, 2) + 2, height + 2);
    };
    for (const call of this.data.callsOfRun.of(run).subarray(0, 500)) {
      for (const attempt of this.data.attemptsOfCall.of(call)) {
        const { begin, end } = this.data.attempts;
        if (end[attempt] < view.from || begin[attempt] > view.to) continue;
        const row = rows.executorRow(attempt);
        context.globalAlpha = 0.35;
        context.fillRect(view.x(begin[attempt]) - 0.5, slotTop + slotRow.height, 1, topOf(row) - slotTop - slotRow.height);
        context.globalAlpha = 1;
        frame(begin[attempt], end[attempt], topOf(row), row.height);
      }
    }
    frame(this.data.runs.begin[run], this.data.runs.end[run], slotTop, slotRow.height);
  }
}

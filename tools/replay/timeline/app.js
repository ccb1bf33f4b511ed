// Gives a canvas the pixels that it has on the screen; returns its size as the page counts it.
function fitCanvas(canvas, context) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = Math.max(window.devicePixelRatio || 1, document.documentElement.classList.contains("print") ? 2 : 1);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { width, height };
}

class App {
  static #AXIS = 22;

  constructor(data) {
    this.data = data;
    this.view = new View(data.first, data.last);
    this.rows = new Rows(data);
    this.filter = new Filter(data);
    this.theme = new Theme();
    this.chosen = null;  // The number of an id's text.
    const part = (id) => document.getElementById(id);
    this.canvas = part("timeline");
    this.context = this.canvas.getContext("2d");
    this.spans = new SpanPainter(this, this.context);
    this.levels = new LevelPainter(this, this.context);
    this.overview = new Overview(this, part("overview"));
    this.tooltip = new Tooltip(this, part("tooltip"));
    this.panel = new Panel(this, part("panel"));
    this.search = new Search(this, part("search"), part("found"));
    this.input = new Input(this, this.canvas);
    this.#control(part);
    this.#introduce(part);
    if (data.oneTask) this.choose(this.filter.ids[0], false);
    new ResizeObserver(() => this.draw()).observe(part("chart"));
  }

  #control(part) {
    for (const [id, factor] of [["zoom-in", 0.5], ["zoom-out", 2]]) {
      part(id).addEventListener("click", () => {
        this.view.zoom(factor);
        this.redraw();
      });
    }
    part("fit").addEventListener("click", () => this.fit());
    part("failed-only").addEventListener("change", (event) => {
      this.filter.failedOnly = event.target.checked;
      this.redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#retheme());
    window.addEventListener("beforeprint", () => this.#retheme(true));
    window.addEventListener("afterprint", () => this.#retheme());
  }

  #retheme(forPaper = false) {
    document.documentElement.classList.toggle("print", forPaper);
    this.theme.read();
    this.draw();
  }

  #introduce(part) {
    const { data } = this;
    const counts = data.countStates();
    const tasks = [];
    const words = { SUCCEEDED: "succeeded", FAILED: "failed", RUNNING: "running", UNKNOWN: "of unknown end" };
    for (const [state, word] of Object.entries(words)) {
      if (counts[state]) tasks.push(`${counts[state].toLocaleString("en")} ${word}`);
    }
    if (counts.refused) tasks.push(`${formatCount(counts.refused, "request")} refused`);
    const when = data.simulated ? "simulated" : this.date(data.first);
    part("worker").textContent = data.worker || "a Worker";
    part("summary").textContent = [when, formatSpan(data.last - data.first), ...tasks].join(" · ");
    document.title = `${data.worker || "Worker"} timeline`;
    const legend = [
      ...[...data.steps.entries()].slice(1).map(([step, text]) => [`step-${step}`, text]), ["subcall", "subcall"],
      ["failed", "failed"], ["refused", "refused request"], ["reserved", "reserved"], ["down", "executor down"],
    ];
    part("legend").replaceChildren(...legend.map(([name, text]) => element("li", { className: name }, element("i"), text)));
  }

  date(us) {
    const date = new Date((this.data.zeroUs + us) / 1000);
    return Number.isNaN(date.getTime()) ? formatMoment(us) : date.toISOString();
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  draw() {
    const { context, view, rows, theme } = this;
    const { width, height } = fitCanvas(this.canvas, context);
    const narrow = width < 560;
    const gutter = narrow ? 58 : 138;
    view.place(gutter, width - gutter - 6);
    rows.covered = this.panel.covers();
    rows.layOut(height - App.#AXIS);
    context.clearRect(0, 0, width, height);
    context.font = theme.font;
    context.textBaseline = "middle";
    this.levels.axis(App.#AXIS, height);
    context.save();
    context.beginPath();
    context.rect(0, App.#AXIS, width, height - App.#AXIS);
    context.clip();
    this.#labels(gutter, narrow);
    context.beginPath();
    context.rect(gutter, App.#AXIS, view.width, height - App.#AXIS);
    context.clip();
    for (const row of rows.rows) {
      const top = this.#topOf(row);
      if (top + row.height >= 0 && top <= height) this.#row(row, top);
    }
    this.levels.gaps(App.#AXIS, height);
    if (narrow) this.#labelsInside();
    this.levels.marks(App.#AXIS, height);
    const chosen = this.chosen === null ? [] : this.data.runsOfTask.of(this.chosen);
    for (const run of chosen) this.spans.choice(run, (row) => this.#topOf(row));
    context.restore();
    this.#scrollBar(width, height);
    this.overview.draw();
    document.getElementById("span").textContent = formatSpan(view.span) + (narrow ? "" : " shown");
  }

  // Tells that there are more rows than are in sight.
  #scrollBar(width, height) {
    const { rows, context, theme } = this;
    const part = rows.visible / rows.height;
    if (part >= 1) return;
    const length = height - App.#AXIS;
    context.fillStyle = theme.capacity;
    context.fillRect(width - 4, App.#AXIS + rows.scroll / rows.height * length, 3, part * length);
  }

  #topOf(row) {
    return App.#AXIS + row.top - this.rows.scroll;
  }

  #row(row, top) {
    const painters = {
      level: () => this.levels.level(row, top),
      waiting: () => this.levels.waiting(row, top),
      refusals: () => this.levels.refusals(row, top),
      slot: () => this.spans.slotRow(row, top),
      executor: () => this.spans.executorRow(row, top),
    };
    painters[row.kind]();
  }

  // As many labels as there is room for.
  #labels(gutter, narrow) {
    const { context, theme, rows } = this;
    context.fillStyle = theme.muted;
    let free = -Infinity;
    for (const row of rows.rows) {
      const top = this.#topOf(row);
      const middle = row.fixed ? top + 7 : top + row.height / 2;
      if (row.apart) free = -Infinity;
      if (middle - 6 < free || row.label === "" || narrow && row.fixed) continue;
      context.fillText(this.fitted(row.label, gutter - 14), 10, middle + 0.5);
      free = middle + 6;
    }
  }

  // Those for which there is no room beside the rows.
  #labelsInside() {
    const { context, theme, rows, view } = this;
    for (const row of rows.rows.filter((candidate) => candidate.fixed)) {
      const top = this.#topOf(row);
      context.globalAlpha = 0.8;
      context.fillStyle = theme.ground;
      context.fillRect(view.left, top, context.measureText(row.label).width + 8, 14);
      context.globalAlpha = 1;
      context.fillStyle = theme.muted;
      context.fillText(row.label, view.left + 4, top + 7);
    }
  }

  fitted(text, width) {
    const { context } = this;
    if (context.measureText(text).width <= width) return text;
    let length = Math.floor(width / 5);
    while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) --length;
    return length > 1 ? `${text.slice(0, length)}…` : "";
  }

  // What is at a place of the canvas.
  hit(x, y) {
    const row = y > App.#AXIS && x >= this.view.left ? this.rows.at(y - App.#AXIS) : undefined;
    if (!row) return undefined;
    const time = this.view.time(x);
    const { runs, leases, attempts, lives, refusals } = this.data;
    if (row.levels) return { levels: row.levels, time };
    if (row.kind === "refusals") {
      const refusal = this.#nearest(row.refusals, { begin: refusals.at, end: refusals.at }, time);
      return refusal === undefined ? undefined : { refusal, task: refusals.task[refusal] };
    }
    if (row.kind === "slot") {
      const run = this.#nearest(row.runs, runs, time, (candidate) => this.data.failed(candidate));
      if (run !== undefined) return { run, task: runs.task[run], time };
      const lease = this.#nearest(row.leases, leases, time);
      return lease === undefined ? undefined : { lease, task: leases.task[lease] };
    }
    const attempt = this.#nearest(row.attempts, attempts, time, (candidate) => attempts.outcome[candidate] !== "succeeded");
    if (attempt !== undefined) return { attempt, task: runs.task[this.data.runOfAttempt(attempt)] };
    const life = this.#nearest(row.lives, lives, time);
    return life === undefined ? undefined : { life };
  }

  // Of the items at most three pixels away the nearest one; of several as near one that stands out.
  #nearest(items, table, time, stands = () => false) {
    const reach = 3 * this.view.perPixel;
    let best;
    for (let i = SpanPainter.firstInSight(items, table, time - reach); i < items.length; ++i) {
      const item = items[i];
      if (table.begin[item] > time + reach) break;
      const distance = Math.max(table.begin[item] - time, time - table.end[item], 0) - (stands(item) ? reach : 0);
      if (best === undefined || distance < best.distance) best = { item, distance };
    }
    return best?.item;
  }

  hover(x, y) {
    const hit = this.hit(x, y);
    this.canvas.classList.toggle("pointing", hit?.task !== undefined);
    this.tooltip.show(hit, x, y);
  }

  press(x, y) {
    const hit = this.hit(x, y);
    if (hit?.task !== undefined) this.choose(hit.task, false);
    else this.choose(null);
  }

  // `moves`: the view goes there as well.
  choose(task, moves = true) {
    this.chosen = task;
    if (task === null) {
      this.panel.hide();
    } else {
      this.panel.show(task);
      this.draw();  // There is less room now.
      if (moves) this.#reveal(task);
    }
    this.redraw();
  }

  #reveal(task) {
    const { runs, refusals } = this.data;
    const [run] = this.data.runsOfTask.of(task);
    const [refusal] = this.data.refusalsOfTask.of(task);
    if (run !== undefined) {
      this.view.reveal(runs.begin[run], runs.end[run]);
      this.rows.reveal(this.rows.slotRow(run));
    } else if (refusal !== undefined) {
      this.view.reveal(refusals.at[refusal], refusals.at[refusal]);
    }
  }

  // Chooses the task whose run began before or after the chosen one, of those that are not hidden.
  step(direction) {
    const { runs } = this.data;
    const [now] = this.chosen === null ? [] : this.data.runsOfTask.of(this.chosen);
    const middle = firstAbove(runs.begin, this.view.from) - (direction > 0 ? 1 : 0);
    for (let run = (now ?? middle) + direction; run >= 0 && run < runs.rows; run += direction) {
      if (!this.filter.hides(runs.task[run], this.data.failed(run))) return this.choose(runs.task[run]);
    }
    return undefined;
  }

  fit() {
    this.view.fit();
    this.redraw();
  }
}

const app = new App(new Data(JSON.parse(document.getElementById("data").textContent)));

// Draws the rows above the slots: what is in use, what waits, who was refused; and the axis of time.
class LevelPainter {
  constructor(app, context) {
    this.app = app;
    this.data = app.data;
    this.context = context;
  }

  // One level as an area, with the line that it cannot rise above.
  level(row, top) {
    const { context } = this;
    const { theme } = this.app;
    const [level] = row.levels;
    const scale = Math.max(level.max, Math.min(level.capacity, level.max * 1.6), 1);
    const y = (value) => top + row.height - value / scale * (row.height - 2);
    this.#areas([level], scale, row, top, [theme.level]);
    if (level.capacity > 0 && level.capacity <= scale) this.#rule(y(level.capacity));
    this.#scale(level.capacity > 0 ? `most ${level.max} of ${level.capacity}` : `most ${level.max}`, top);
  }

  // All queues on top of each other.
  waiting(row, top) {
    const { theme, view } = this.app;
    const sum = row.levels.reduce((all, level) => level.highest(view.first, view.last, 512).map((value, i) => value + all[i]),
      new Float64Array(512));
    const scale = Math.max(1, sum.reduce((max, value) => Math.max(max, value), 0));
    this.#areas(row.levels, scale, row, top, row.levels.map((level) => theme.queues[level.key]));
    this.#scale(`most ${scale}`, top);
  }

  #areas(levels, scale, row, top, colours) {
    const { context } = this;
    const { view } = this.app;
    const width = Math.ceil(view.width);
    const floor = new Float64Array(width);
    const bottom = top + row.height;
    const perUnit = (row.height - 2) / scale;
    levels.forEach((level, index) => {
      const highest = level.highest(view.from, view.to, width);
      context.fillStyle = colours[index];
      context.beginPath();
      for (let part = 0; part < width; ++part) {
        if (highest[part] === 0) continue;
        const height = highest[part] * perUnit;
        context.rect(view.left + part, bottom - floor[part] - height, 1, height);
        floor[part] += height;
      }
      context.fill();
    });
    context.fillStyle = this.app.theme.grid;
    context.fillRect(view.left, bottom, view.width, 1);
  }

  #rule(y) {
    const { context } = this;
    const { theme, view } = this.app;
    context.strokeStyle = theme.capacity;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(view.left, Math.round(y) + 0.5);
    context.lineTo(view.left + view.width, Math.round(y) + 0.5);
    context.stroke();
    context.setLineDash([]);
  }

  #scale(text, top) {
    const { context } = this;
    const { theme, view } = this.app;
    context.font = theme.font.replace("11px", "10px");
    const width = context.measureText(text).width;
    context.globalAlpha = 0.8;
    context.fillStyle = theme.ground;
    context.fillRect(view.left + view.width - width - 8, top, width + 8, 13);
    context.globalAlpha = 1;
    context.fillStyle = theme.muted;
    context.fillText(text, view.left + view.width - width - 4, top + 7);
    context.font = theme.font;
  }

  refusals(row, top) {
    const { context } = this;
    const { view, theme, filter } = this.app;
    const { at, task, rows } = this.data.refusals;
    context.fillStyle = theme.refused;
    let painted = -Infinity;
    for (let refusal = firstAbove(at, view.from); refusal < rows && at[refusal] <= view.to; ++refusal) {
      const x = view.x(at[refusal]);
      if (x < painted + 1) continue;
      context.globalAlpha = filter.hides(task[refusal], true) ? 0.13 : 1;
      context.fillRect(x - 0.75, top, 1.5, row.height);
      painted = x;
    }
    context.globalAlpha = 1;
    this.#chosen(row, top);
  }

  #chosen(row, top) {
    const { context } = this;
    const { view, theme, chosen } = this.app;
    if (chosen === null) return;
    context.fillStyle = theme.chosen;
    for (const refusal of this.data.refusalsOfTask.of(chosen)) {
      const x = view.x(this.data.refusals.at[refusal]);
      context.beginPath();
      context.moveTo(x, top + row.height - 4);
      context.lineTo(x - 5, top + row.height + 4);
      context.lineTo(x + 5, top + row.height + 4);
      context.fill();
    }
  }

  // The axis above all rows, and its lines behind them.
  axis(height, bottom) {
    const { context } = this;
    const { view, theme } = this.app;
    const step = tickStep(view.perPixel * 90);
    context.fillStyle = theme.grid;
    const ticks = [];
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) ticks.push(time);
    for (const time of ticks) context.fillRect(Math.round(view.x(time)), height - 5, 1, bottom - height + 5);
    context.fillStyle = theme.muted;
    context.textAlign = "center";
    for (const time of ticks) {
      const x = view.x(time);
      if (x > view.left + 12 && x < view.left + view.width - 16) context.fillText(formatTick(time, step), x, height / 2);
    }
    context.textAlign = "left";
  }

  // What happened to the Worker as a whole.
  marks(height, bottom) {
    const { context } = this;
    const { view, theme } = this.app;
    this.data.marks.at.forEach((time, mark) => {
      const x = view.x(time);
      if (x < view.left || x > view.left + view.width) return;
      context.fillStyle = theme.mark;
      context.fillRect(Math.round(x), height, 1, bottom - height);
      this.#sign(this.data.texts[this.data.marks.text[mark]], x + 3, height + 7);
    });
  }

  // Where records are lost nothing is known.
  gaps(height, bottom) {
    const { context } = this;
    const { view, theme } = this.app;
    const { rows, begin, end } = this.data.gaps;
    for (let gap = 0; gap < rows; ++gap) {
      const from = Math.max(view.x(begin[gap]), view.left);
      const to = Math.min(view.x(end[gap]), view.left + view.width);
      if (to < from) continue;
      context.fillStyle = theme.ground;
      context.fillRect(from, height, Math.max(to - from, 2), bottom - height);
      context.fillStyle = theme.hatch(theme.lost);
      context.fillRect(from, height, Math.max(to - from, 2), bottom - height);
      context.fillStyle = theme.text;
      this.#sign("records are lost", from + 4, height + 7);
    }
  }

  #sign(text, x, y) {
    const { context } = this;
    const { view, theme } = this.app;
    const width = context.measureText(text).width;
    const left = Math.max(view.left, Math.min(x, view.left + view.width - width - 4));
    const ink = context.fillStyle;
    context.fillStyle = theme.ground;
    context.fillRect(left - 1, y - 7, width + 2, 14);
    context.fillStyle = ink;
    context.fillText(text, left, y);
  }
}

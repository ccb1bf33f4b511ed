// The whole log in one strip: slots in use, what waits, where tasks failed or were refused; and which part is shown.
class Overview {
  static #EDGE = 6;  // Pixels by which an edge of the shown part can be missed.

  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    canvas.addEventListener("pointerdown", (event) => this.#begin(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => this.drag = null);
    canvas.addEventListener("dblclick", () => app.fit());
  }

  x(time) {
    const { view } = this.app;
    return this.left + (time - view.first) / (view.last - view.first) * this.width;
  }

  time(x) {
    const { view } = this.app;
    return view.first + (x - this.left) / this.width * (view.last - view.first);
  }

  draw() {
    const { theme, view, data } = this.app;
    const { width, height } = fitCanvas(this.canvas, this.context);
    const { context } = this;
    this.left = view.left;
    this.width = width - view.left - 6;  // Wider than the timeline when a panel is beside that.
    context.clearRect(0, 0, width, height);
    context.font = theme.font;
    context.textBaseline = "middle";
    const bottom = height - 6;
    const slots = data.levels.find((level) => level.key === "slots");
    this.#area([slots], slots.capacity || slots.max, bottom, bottom - 4, theme.level);
    this.#area(data.levels.filter((level) => level.waits), 0, bottom, (bottom - 4) * 0.55, theme["wait-call"]);
    this.#ticks(bottom + 1);
    this.#labels(bottom);
    this.#shade(this.x(view.from), this.x(view.to), height);
  }

  #area(levels, scale, bottom, height, colour) {
    const { context } = this;
    const { view } = this.app;
    const width = Math.ceil(this.width);
    const sum = new Float64Array(width);
    for (const level of levels) level.highest(view.first, view.last, width).forEach((value, x) => sum[x] += value);
    const top = scale || sum.reduce((max, value) => Math.max(max, value), 1);
    context.fillStyle = colour;
    context.beginPath();
    sum.forEach((value, x) => {
      if (value > 0) context.rect(this.left + x, bottom - value / top * height, 1, value / top * height);
    });
    context.fill();
  }

  #ticks(top) {
    const { theme, data } = this.app;
    const { runs, refusals } = data;
    const tick = (time) => this.context.fillRect(this.x(time) - 0.5, top, 1, 4);
    this.context.fillStyle = theme.refused;
    refusals.at.forEach(tick);
    this.context.fillStyle = theme.failed;
    for (let run = 0; run < runs.rows; ++run) {
      if (data.failed(run)) tick(runs.end[run]);
    }
  }

  #labels(bottom) {
    const { theme } = this.app;
    if (this.left < 80) return;
    this.context.fillStyle = theme.muted;
    this.context.fillText("overview", 10, bottom / 2 + 3);
  }

  #shade(from, to, height) {
    const { context } = this;
    const { theme } = this.app;
    context.fillStyle = theme.ground;
    context.globalAlpha = 0.68;
    context.fillRect(this.left, 0, from - this.left, height);
    context.fillRect(to, 0, this.left + this.width - to, height);
    context.globalAlpha = 1;
    context.strokeStyle = theme.chosen;
    context.lineWidth = 1;
    context.strokeRect(from + 0.5, 0.5, Math.max(to - from - 1, 1), height - 1);
    context.fillStyle = theme.chosen;
    for (const x of [from, to]) context.fillRect(x - 1.5, height / 2 - 8, 3, 16);
  }

  #begin(event) {
    const { view } = this.app;
    this.canvas.setPointerCapture(event.pointerId);
    const x = event.offsetX;
    const edges = [this.x(view.from), this.x(view.to)];
    const edge = edges.findIndex((place) => Math.abs(place - x) <= Overview.#EDGE);
    const whole = view.from === view.first && view.to === view.last;
    if (edge >= 0) {
      this.drag = { fixed: edge === 0 ? view.to : view.from };
    } else if (!whole && x > edges[0] && x < edges[1]) {
      this.drag = { offset: this.time(x) - view.from };
    } else {
      this.drag = { fixed: this.time(x) };
    }
  }

  #move(event) {
    if (!this.drag) return;
    const { view } = this.app;
    const time = this.time(event.offsetX);
    if (this.drag.fixed === undefined) {
      view.pan(time - this.drag.offset - view.from);
    } else {
      view.show(Math.min(time, this.drag.fixed), Math.max(time, this.drag.fixed));
    }
    this.app.redraw();
  }
}

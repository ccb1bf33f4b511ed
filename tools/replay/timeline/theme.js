// Colours come from the style sheet, so that the canvas follows light and dark as the page does.
class Theme {
  static #NAMES = [
    "text", "muted", "grid", "ground", "band", "activation", "building", "calls", "writing", "subcall", "failed", "lost",
    "refused", "reserved", "level", "capacity", "mark", "chosen", "on-step", "wait-builder", "wait-executor", "wait-call",
    "wait-plugin", "wait-scan",
  ];
  // By step: what a task waits for has the colour of its work, hatched.
  static #STEPS = ["refused", "activation", "building", "building", "calls", "calls", "writing", "writing"];
  static WAITS = [true, false, true, false, true, false, true, false];

  constructor() {
    this.read();
  }

  read() {
    const style = getComputedStyle(document.documentElement);
    for (const name of Theme.#NAMES) this[name] = style.getPropertyValue(`--${name}`).trim();
    this.font = `11px ${style.getPropertyValue("--font")}`;
    this.hatches = new Map();
    this.steps = Theme.#STEPS.map((name, step) => Theme.WAITS[step] ? this.hatch(this[name]) : this[name]);
    this.queues = {
      builderQueue: this["wait-builder"], scanQueue: this["wait-scan"], executorTaskQueue: this["wait-executor"],
      callQueue: this["wait-call"], pluginQueue: this["wait-plugin"],
    };
  }

  // A pale ground with thin lines of the colour.
  hatch(colour) {
    if (!this.hatches.has(colour)) this.hatches.set(colour, Theme.#hatch(colour));
    return this.hatches.get(colour);
  }

  static #hatch(colour) {
    const size = 6;
    const scale = 2;  // Sharp on dense screens.
    const tile = element("canvas", { width: size * scale, height: size * scale });
    const context = tile.getContext("2d");
    context.scale(scale, scale);
    context.globalAlpha = 0.22;
    context.fillStyle = colour;
    context.fillRect(0, 0, size, size);
    context.globalAlpha = 0.75;
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift, size);
      context.lineTo(shift + size, 0);
    }
    context.stroke();
    const pattern = context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(1 / scale));
    return pattern;
  }
}

// Pointers, wheel and keys on the timeline: one pointer moves, two zoom, a press without a move chooses.
class Input {
  static #STILL = 4;  // Pixels that a press may wander.

  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.pointers = new Map();
    this.wandered = 0;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => app.tooltip.hide());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => this.#zoom(0.4, event.offsetX));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #zoom(factor, x) {
    const { view } = this.app;
    view.zoom(factor, view.time(Math.max(x, view.left)));
    this.app.redraw();
  }

  #down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.pointers.size === 1) this.wandered = 0;
    else this.wandered = Infinity;
    this.app.tooltip.hide();
  }

  #move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) {
      if (event.pointerType === "mouse") this.app.hover(event.offsetX, event.offsetY);
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    if (this.pointers.size === 2) this.#pinch(event.pointerId, last, now);
    else this.#drag(last, now);
    this.pointers.set(event.pointerId, now);
  }

  #drag(last, now) {
    this.wandered += Math.hypot(now.x - last.x, now.y - last.y);
    if (this.wandered <= Input.#STILL) return;
    this.app.view.pan((last.x - now.x) * this.app.view.perPixel);
    this.app.rows.scrollBy(last.y - now.y);
    this.canvas.classList.add("moving");
    this.app.redraw();
  }

  // What was between the fingers stays there.
  #pinch(id, last, now) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const before = Math.max(10, Math.abs(last.x - other.x));
    const after = Math.max(10, Math.abs(now.x - other.x));
    const { view } = this.app;
    const middle = view.time((last.x + other.x) / 2);
    view.zoom(before / after, middle);
    view.pan(middle - view.time((now.x + other.x) / 2));
    this.app.rows.scrollBy((last.y - now.y) / 2);
    this.app.redraw();
  }

  #up(event) {
    this.pointers.delete(event.pointerId);
    this.canvas.classList.remove("moving");
    if (this.pointers.size === 0 && this.wandered <= Input.#STILL) this.app.press(event.offsetX, event.offsetY);
  }

  #wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    const { view, rows } = this.app;
    if (event.shiftKey || event.offsetX < view.left) {
      rows.scrollBy((event.deltaY || event.deltaX) * lines);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      view.pan(event.deltaX * lines * view.perPixel);
    } else {
      view.zoom(1.0016 ** (event.deltaY * lines), view.time(event.offsetX));
    }
    this.app.hover(event.offsetX, event.offsetY);
    this.app.redraw();
  }

  #key(event) {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { view, rows } = this.app;
    const actions = {
      "ArrowLeft": () => view.pan(-view.span / 8),
      "ArrowRight": () => view.pan(view.span / 8),
      "ArrowUp": () => rows.scrollBy(-60),
      "ArrowDown": () => rows.scrollBy(60),
      "+": () => view.zoom(0.7),
      "=": () => view.zoom(0.7),
      "-": () => view.zoom(1 / 0.7),
      "0": () => view.fit(),
      "Home": () => view.pan(view.first - view.from),
      "End": () => view.pan(view.last - view.to),
      "[": () => this.app.step(-1),
      "]": () => this.app.step(1),
      "/": () => this.app.search.input.focus(),
      "Escape": () => this.app.choose(null),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    actions[event.key]();
    event.preventDefault();
    this.app.redraw();
  }
}

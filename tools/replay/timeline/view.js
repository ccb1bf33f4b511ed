// Which part of the log is shown, and where on the canvas a moment lies.
class View {
  static #LEAST = 20;  // Microseconds: less than this never fills the screen.

  constructor(first, last) {
    const margin = Math.max((last - first) * 0.01, View.#LEAST);
    this.first = first - margin;
    this.last = last + margin;
    this.left = 0;
    this.width = 1;
    this.fit();
  }

  // Where the moments lie on the canvas.
  place(left, width) {
    this.left = left;
    this.width = Math.max(1, width);
  }

  get span() {
    return this.to - this.from;
  }

  get perPixel() {
    return this.span / this.width;
  }

  x(time) {
    return this.left + (time - this.from) / this.span * this.width;
  }

  time(x) {
    return this.from + (x - this.left) / this.width * this.span;
  }

  fit() {
    this.from = this.first;
    this.to = this.last;
  }

  show(from, to) {
    const most = this.last - this.first;
    const span = Math.min(most, Math.max(View.#LEAST, to - from));
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, this.first), this.last - span);
    this.to = this.from + span;
  }

  // `time` stays where it is.
  zoom(factor, time = (this.from + this.to) / 2) {
    const span = Math.min(this.last - this.first, Math.max(View.#LEAST, this.span * factor));
    const share = (time - this.from) / this.span;
    this.show(time - share * span, time + (1 - share) * span);
  }

  pan(distance) {
    this.show(this.from + distance, this.to + distance);
  }

  // Shows a span with some room around it, unless it is well in sight already.
  reveal(begin, end) {
    const inside = begin >= this.from && end <= this.to;
    if (inside && end - begin > this.span * 0.02) return;
    const room = Math.max((end - begin) * 0.6, View.#LEAST);
    this.show(begin - room, end + room);
  }
}

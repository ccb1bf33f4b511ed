// A level over time: what holds from each point on. Coarser copies of it, each with the highest of two neighbours, keep
// drawing as fast for a million points as for a thousand.
class Level {
  constructor(gauge) {
    this.key = gauge.key;
    this.words = gauge.words;
    this.waits = gauge.waits;
    this.capacity = gauge.capacity;
    this.copies = [{ at: numbers(gauge.points, "at", true), level: numbers(gauge.points, "level") }];
    this.max = this.copies[0].level.reduce((max, level) => Math.max(max, level), 0);
    while (this.copies.at(-1).at.length > 1000) this.copies.push(Level.#coarser(this.copies.at(-1)));
  }

  static #coarser({ at, level }) {
    const length = Math.ceil(at.length / 2);
    const coarse = { at: new Float64Array(length), level: new Float64Array(length) };
    for (let i = 0; i < length; ++i) {
      coarse.at[i] = at[2 * i];
      coarse.level[i] = Math.max(level[2 * i], level[2 * i + 1] ?? 0);
    }
    return coarse;
  }

  at(time) {
    const { at, level } = this.copies[0];
    const place = firstAbove(at, time) - 1;
    return place < 0 ? 0 : level[place];
  }

  // The highest level in each of `width` equal parts of a span.
  highest(from, to, width) {
    const perPart = (to - from) / width;
    const { at, level } = this.copies.find((copy) => Level.#within(copy.at, from, to) <= 4 * width) ?? this.copies.at(-1);
    const highest = new Float64Array(width);
    let place = Math.max(0, firstAbove(at, from) - 1);
    for (let part = 0; part < width; ++part) {
      const end = from + (part + 1) * perPart;
      let max = at[place] < end ? level[place] : 0;
      while (place + 1 < at.length && at[place + 1] < end) max = Math.max(max, level[++place]);
      highest[part] = max;
    }
    return highest;
  }

  static #within(at, from, to) {
    return firstAbove(at, to) - firstAbove(at, from);
  }
}

// What stands below each other: levels, refusals, slots, executors. Each row knows what is on it, in order of time.
class Rows {
  static #EDGE = 4;
  static #GAP = 5;
  static #APART = 10;
  static #LEAST = 8;
  static #MOST = 24;

  constructor(data) {
    this.data = data;
    this.rows = [...this.#levelRows(), ...this.#slotRows(), ...this.#executorRows()];
    this.scroll = 0;
    this.covered = 0;  // Pixels at the bottom over which the panel lies.
  }

  #levelRows() {
    const { levels, refusals } = this.data;
    const busy = levels.filter((level) => !level.waits && (level.max > 0 || level.key === "slots"));
    const rows = busy.map((level) => ({
      kind: "level", label: level.words, levels: [level], fixed: true, height: level.key === "slots" ? 40 : 26,
    }));
    const waiting = levels.filter((level) => level.waits && level.max > 0);
    if (waiting.length > 0) rows.push({ kind: "waiting", label: "waiting", levels: waiting, fixed: true, height: 48 });
    if (refusals.rows > 0) {
      rows.push({ kind: "refusals", label: "refused", refusals: [...refusals.at.keys()], fixed: true, height: 14 });
    }
    return rows;
  }

  #slotRows() {
    const { runs, leases } = this.data;
    const rows = new Map();
    const rowOf = (slot, lane) => Rows.#laneOf(rows, slot < 0 ? Infinity : slot, lane, () => ({
      kind: "slot", slot, label: slot < 0 ? "slot unknown" : `slot ${slot}`, runs: [], leases: [],
    }));
    for (let run = 0; run < runs.rows; ++run) rowOf(runs.slot[run], runs.lane[run]).runs.push(run);
    for (let lease = 0; lease < leases.rows; ++lease) rowOf(leases.slot[lease], leases.lane[lease]).leases.push(lease);
    this.slotRow = (run) => rowOf(runs.slot[run], runs.lane[run]);
    return Rows.#inOrder(rows);
  }

  #executorRows() {
    const { attempts, lives } = this.data;
    const rows = new Map();
    const rowOf = (executor, lane) => Rows.#laneOf(rows, executor, lane, () => ({
      kind: "executor", executor, label: `executor ${executor}`, attempts: [], lives: [],
    }));
    for (let life = 0; life < lives.rows; ++life) rowOf(lives.executor[life], 0).lives.push(life);
    for (let attempt = 0; attempt < attempts.rows; ++attempt) {
      rowOf(attempts.executor[attempt], attempts.lane[attempt]).attempts.push(attempt);
    }
    this.executorRow = (attempt) => rowOf(attempts.executor[attempt], attempts.lane[attempt]);
    return Rows.#inOrder(rows);
  }

  static #laneOf(rows, place, lane, make) {
    if (!rows.has(place)) rows.set(place, []);
    const lanes = rows.get(place);
    while (lanes.length <= lane) lanes.push({ ...make(), lane: lanes.length, label: lanes.length ? "" : make().label });
    return lanes[lane];
  }

  // The first row of a kind stands apart from what is above it.
  static #inOrder(rows) {
    const ordered = [...rows.entries()].sort(([a], [b]) => a - b).flatMap(([, lanes]) => lanes);
    if (ordered.length > 0) ordered[0].apart = true;
    return ordered;
  }

  // Gives each row its place. Rows shrink so that all of them are in sight, down to a height that can still be read.
  layOut(height) {
    const fixed = this.rows.filter((row) => row.fixed);
    const taken = 2 * Rows.#EDGE + fixed.reduce((sum, row) => sum + row.height + Rows.#GAP, 0) +
      this.rows.filter((row) => row.apart).length * Rows.#APART;
    const share = Math.floor((height - taken) / Math.max(1, this.rows.length - fixed.length));
    const each = Math.max(Rows.#LEAST, Math.min(Rows.#MOST, share));
    let top = Rows.#EDGE;
    for (const row of this.rows) {
      if (!row.fixed) row.height = each - (each > 10 ? 2 : 1);
      row.top = top += row.apart ? Rows.#APART : 0;
      top += row.fixed ? row.height + Rows.#GAP : each;
    }
    this.height = top + Rows.#EDGE;
    this.visible = height;
    this.scrollBy(0);
  }

  scrollBy(distance) {
    this.scroll = Math.max(0, Math.min(this.scroll + distance, this.height - this.visible + this.covered));
  }

  // So that the row is in sight.
  reveal(row) {
    const visible = this.visible - this.covered;
    if (row.top >= this.scroll && row.top + row.height <= this.scroll + visible) return;
    this.scroll = row.top - visible / 3;
    this.scrollBy(0);
  }

  // `y` counts from the top of the rows' part of the canvas.
  at(y) {
    const place = y + this.scroll;
    return this.rows.find((row) => place >= row.top && place < row.top + row.height);
  }
}

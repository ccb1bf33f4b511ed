// The log's data: tables in columns, as page_data.cc writes them, made ready to be searched and drawn.

// A column of numbers; null becomes NaN. A rising one is told by differences.
function numbers(table, name, rising = false) {
  const column = new Float64Array(table.rows);
  const cells = table[name];
  let sum = 0;
  for (let row = 0; row < table.rows; ++row) {
    const cell = Array.isArray(cells) ? cells[row] : cells;
    const value = cell === null ? NaN : cell;
    column[row] = rising ? sum += value : value;
  }
  return column;
}

function integers(table, name, rising = false) {
  return Int32Array.from(numbers(table, name, rising), (value) => Number.isNaN(value) ? -1 : value);
}

function plus(base, distances) {
  return distances.map((distance, row) => base[row] + distance);
}

// For each group its members' rows, in order: `start[group]` to `start[group + 1]` in `rows`.
function grouped(groupOf, groups) {
  const start = new Int32Array(groups + 1);
  for (const group of groupOf) ++start[group + 1];
  for (let group = 0; group < groups; ++group) start[group + 1] += start[group];
  const next = start.slice();
  const rows = new Int32Array(groupOf.length);
  groupOf.forEach((group, row) => rows[next[group]++] = row);
  return { start, rows, of: (group) => rows.subarray(start[group], start[group + 1]) };
}

// The first place in rising `values` from `low` on at which the value is above `limit`.
function firstAbove(values, limit, low = 0, high = values.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

const STEPS = 8;
const CALLS_STEP = 5;

class Data {
  constructor(json) {
    this.worker = json.worker;
    this.simulated = json.simulated;
    this.oneTask = json.oneTask;
    this.zeroUs = json.zeroUs;
    this.first = json.first;
    this.last = json.last;
    this.texts = json.texts;
    this.steps = json.steps;
    this.runs = this.#readRuns(json.runs);
    this.calls = this.#readCalls(json.calls);
    this.attempts = this.#readAttempts(json.attempts);
    this.leases = this.#readLeases(json.leases);
    this.refusals = this.#readRefusals(json.refusals, json.holders);
    this.lives = this.#readLives(json.lives);
    this.marks = { at: numbers(json.marks, "at"), text: integers(json.marks, "text") };
    this.gaps = this.#readGaps(json.gaps);
    this.levels = json.gauges.map((gauge) => new Level(gauge));
    this.runsOfTask = grouped(this.runs.task, this.texts.length);
    this.refusalsOfTask = grouped(this.refusals.task, this.texts.length);
    this.callsOfRun = grouped(this.calls.run, this.runs.rows);
    this.attemptsOfCall = grouped(this.attempts.call, this.calls.rows);
  }

  #readRuns(table) {
    const begin = numbers(table, "begin", true);
    const runs = { rows: table.rows, begin, end: plus(begin, numbers(table, "length")) };
    for (const name of ["task", "run", "slot", "lane", "code", "message", "retryable", "calls", "failed", "retried"]) {
      runs[name] = integers(table, name);
    }
    runs.state = Array.from(integers(table, "state"), (text) => this.texts[text]);
    runs.steps = Array.from({ length: STEPS }, (_, step) => plus(begin, numbers(table, `step${step}`)));
    return runs;
  }

  #readCalls(table) {
    const calls = { rows: table.rows, run: integers(table, "run", true), id: integers(table, "id", true) };
    for (const name of ["function", "parent"]) calls[name] = integers(table, name);
    calls.requested = numbers(table, "requested").map((since, row) => this.runs.begin[calls.run[row]] + since);
    return calls;
  }

  #readAttempts(table) {
    const begin = numbers(table, "begin", true);
    const attempts = {
      rows: table.rows, begin, end: plus(begin, numbers(table, "length")),
      cancelled: plus(begin, numbers(table, "cancelled")),
    };
    for (const name of ["call", "number", "executor", "generation", "lane", "code", "message"]) {
      attempts[name] = integers(table, name);
    }
    attempts.outcome = Array.from(integers(table, "outcome"), (text) => this.texts[text]);
    return attempts;
  }

  #readLeases(table) {
    const begin = numbers(table, "begin", true);
    const leases = { rows: table.rows, begin, end: plus(begin, numbers(table, "length")) };
    for (const name of ["task", "slot", "lane", "expired"]) leases[name] = integers(table, name);
    return leases;
  }

  #readRefusals(table, holders) {
    const refusals = { rows: table.rows, at: numbers(table, "at", true), holder: integers(holders, "task") };
    for (const name of ["task", "request", "code", "message", "held"]) refusals[name] = integers(table, name);
    refusals.holdersStart = new Int32Array(table.rows + 1);
    integers(table, "holders").forEach((count, row) => {
      refusals.holdersStart[row + 1] = refusals.holdersStart[row] + count;
    });
    return refusals;
  }

  #readLives(table) {
    const begin = numbers(table, "begin", true);
    const lives = { rows: table.rows, begin, end: plus(begin, numbers(table, "length")) };
    for (const name of ["spawned", "connected", "killed", "exited"]) lives[name] = plus(begin, numbers(table, name));
    for (const name of ["executor", "generation", "pid", "killReason", "exitReason"]) lives[name] = integers(table, name);
    return lives;
  }

  #readGaps(table) {
    const begin = numbers(table, "begin", true);
    return { rows: table.rows, begin, end: plus(begin, numbers(table, "length")) };
  }

  failed(run) {
    return this.runs.state[run] === "FAILED";
  }

  runOfAttempt(attempt) {
    return this.calls.run[this.attempts.call[attempt]];
  }

  // The steps of a run: which, from when to when. It has not left the last one if it runs.
  stepsOf(run) {
    const spans = [];
    for (let step = 0; step < STEPS; ++step) {
      const begin = this.runs.steps[step][run];
      if (Number.isNaN(begin)) continue;
      if (spans.length > 0) spans.at(-1).end = begin;
      spans.push({ step, begin, end: this.runs.end[run] });
    }
    return spans;
  }

  // How often tasks and requests ended how.
  countStates() {
    const counts = { refused: this.refusals.rows };
    for (const state of this.runs.state) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }
}

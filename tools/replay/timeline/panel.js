// The story of one task: its runs with their steps and calls, and the requests that were refused.
class Panel {
  static #MOST_CALLS = 300;

  constructor(app, box) {
    this.app = app;
    this.data = app.data;
    this.box = box;
  }

  hide() {
    this.box.hidden = true;
  }

  // How much of the timeline lies under it: on a small screen it does not stand beside.
  covers() {
    return this.box.hidden || getComputedStyle(this.box).position !== "absolute" ? 0 : this.box.offsetHeight;
  }

  // `task` is the number of the id's text.
  show(task) {
    const runs = [...this.data.runsOfTask.of(task)];
    const refusals = [...this.data.refusalsOfTask.of(task)];
    const close = element("button", { type: "button", className: "close", textContent: "×", title: "Close (esc)" });
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => this.app.choose(null));
    this.box.replaceChildren(
      element("header", {}, element("h2", { textContent: this.data.texts[task] }), close),
      ...runs.map((run) => this.#run(run, runs.length > 1)),
      ...(refusals.length > 0 ? [this.#refusals(refusals)] : []));
    if (runs.length + refusals.length === 0) {
      this.box.append(element("p", { textContent: "Nothing of it is in this part of the log." }));
    }
    this.box.hidden = false;
    this.box.scrollTop = 0;
  }

  #run(run, isOneOfMany) {
    const { runs, texts } = this.data;
    const state = runs.state[run];
    const badge = element("span", { className: `badge ${state.toLowerCase()}`, textContent: state });
    const section = element("section", { className: "run" }, element("p", { className: "outcome" }, badge));
    if (texts[runs.code[run]]) {
      const retryable = state === "FAILED" ? (runs.retryable[run] ? ", can be tried again" : ", final") : "";
      badge.after(" ", element("b", { textContent: texts[runs.code[run]] }), retryable);
    }
    const message = texts[runs.message[run]];
    if (message) section.append(element("p", { className: "message", textContent: message }));
    section.append(this.#facts(run, isOneOfMany), this.#bar(run), this.#steps(run));
    const calls = this.data.callsOfRun.of(run);
    if (calls.length > 0) section.append(this.#calls(run, calls));
    return section;
  }

  #facts(run, isOneOfMany) {
    const { runs } = this.data;
    const slot = runs.slot[run] < 0 ? "not known" : `slot ${runs.slot[run]}`;
    const facts = [["on", slot], ["accepted", formatMoment(runs.begin[run])]];
    if (isOneOfMany) facts.unshift(["run", String(runs.run[run])]);
    const ended = { RUNNING: "not yet", UNKNOWN: "among lost records" }[runs.state[run]];
    facts.push(["ended", ended ?? formatMoment(runs.end[run])]);
    if (!this.data.simulated) facts.push(["date", this.app.date(runs.begin[run])]);
    return element("dl", {}, ...facts.flatMap(([name, value]) =>
      [element("dt", { textContent: name }), element("dd", { textContent: value })]));
  }

  // The steps side by side, as long as they took.
  #bar(run) {
    const bar = element("div", { className: "bar" });
    for (const { step, begin, end } of this.data.stepsOf(run)) {
      if (end <= begin) continue;
      const title = `${this.data.steps[step]}: ${formatSpan(end - begin)}`;
      const part = element("span", { className: `step-${step}`, title });
      part.style.flexGrow = String(end - begin);
      bar.append(part);
    }
    return bar;
  }

  #steps(run) {
    const spans = this.data.stepsOf(run);
    const row = (className, words, us) => {
      const duration = element("td", { textContent: formatSpan(us), title: `${us.toLocaleString("en")} µs` });
      duration.dataset.us = us;
      return element("tr", { className }, element("th", { scope: "row" }, element("i"), words), duration);
    };
    const table = element("table", { className: "steps" });
    for (const { step, begin, end } of spans) table.append(row(`step-${step}`, this.data.steps[step], end - begin));
    if (spans.length > 0) table.append(row("total", "total", this.data.runs.end[run] - spans[0].begin));
    return table;
  }

  #calls(run, calls) {
    const { runs } = this.data;
    const counts = [formatCount(runs.calls[run], "call")];
    if (runs.failed[run] > 0) counts.push(`${runs.failed[run]} failed`);
    if (runs.retried[run] > 0) counts.push(`tried again ${Panel.#times(runs.retried[run])}`);
    const list = element("ol", { className: "calls" });
    for (const call of calls.subarray(0, Panel.#MOST_CALLS)) list.append(this.#call(run, call));
    const section = element("div", {}, element("h3", { textContent: counts.join(", ") }), list);
    if (calls.length > Panel.#MOST_CALLS) {
      section.append(element("p", { textContent: `and ${formatCount(calls.length - Panel.#MOST_CALLS, "more call")}` }));
    }
    return section;
  }

  #call(run, call) {
    const { calls, texts } = this.data;
    const parent = calls.parent[call];
    const details = [texts[calls.function[call]], parent >= 0 ? `asked for by call ${calls.id[parent]}` : ""];
    const item = element("li", {}, `call ${calls.id[call]} `,
      element("small", { textContent: details.filter(Boolean).join(", ") }));
    const attempts = this.data.attemptsOfCall.of(call);
    for (const attempt of attempts) item.append(this.#attempt(run, attempt));
    if (attempts.length === 0) item.append(element("p", { textContent: "never dispatched in this log" }));
    return item;
  }

  #attempt(run, attempt) {
    const { attempts, runs, texts } = this.data;
    const outcome = attempts.outcome[attempt];
    const bad = outcome !== "succeeded" && outcome !== "in flight";
    const track = element("div", { className: "track" });
    const span = element("span", { className: bad ? "bad" : "" });
    const length = Math.max(runs.end[run] - runs.begin[run], 1);
    const share = (time) => Math.min(100, Math.max(0, (time - runs.begin[run]) / length * 100));
    span.style.left = `${Math.min(99, share(attempts.begin[attempt]))}%`;
    span.style.width = `${Math.max(1, share(attempts.end[attempt]) - share(attempts.begin[attempt]))}%`;
    track.append(span);
    const words = [`attempt ${attempts.number[attempt]} on executor ${attempts.executor[attempt]}`,
      `${outcome} after ${formatSpan(attempts.end[attempt] - attempts.begin[attempt])}`];
    if (!Number.isNaN(attempts.cancelled[attempt])) {
      words.push(`cancelled after ${formatSpan(attempts.cancelled[attempt] - attempts.begin[attempt])}`);
    }
    const why = [texts[attempts.code[attempt]], texts[attempts.message[attempt]]].filter(Boolean).join(": ");
    const line = element("p", { className: bad ? "attempt bad" : "attempt", textContent: words.join(", ") });
    if (why) line.append(element("span", { className: "why", textContent: why }));
    return element("div", {}, track, line);
  }

  #refusals(rows) {
    const { refusals, texts } = this.data;
    const list = element("ol", { className: "refusals" });
    for (const refusal of rows.slice(0, Panel.#MOST_CALLS)) {
      const item = element("li", {}, element("b", { textContent: texts[refusals.code[refusal]] }),
        ` ${formatMoment(refusals.at[refusal])}, ${texts[refusals.request[refusal]]}`,
        element("p", { textContent: texts[refusals.message[refusal]] }));
      if (refusals.held[refusal] > 0) item.append(this.#holders(refusal));
      list.append(item);
    }
    return element("section", {}, element("h3", { textContent: `refused ${Panel.#times(rows.length)}` }), list);
  }

  static #times(count) {
    return count === 1 ? "once" : `${count} times`;
  }

  #holders(refusal) {
    const { refusals, texts } = this.data;
    const box = element("p", { className: "holders" }, "held the longest by ");
    const tasks = refusals.holder.subarray(refusals.holdersStart[refusal], refusals.holdersStart[refusal + 1]);
    for (const task of tasks) {
      const button = element("button", { type: "button", textContent: texts[task] });
      button.addEventListener("click", () => this.app.choose(task));
      box.append(button, " ");
    }
    const others = refusals.held[refusal] - tasks.length;
    if (others > 0) box.append(`and ${formatCount(others, "other")}`);
    return box;
  }
}

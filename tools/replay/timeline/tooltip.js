// What lies under the pointer, in words.
class Tooltip {
  constructor(app, box) {
    this.app = app;
    this.data = app.data;
    this.box = box;
  }

  hide() {
    this.box.hidden = true;
  }

  show(hit, x, y) {
    const lines = hit && this.#lines(hit);
    if (!lines) return this.hide();
    this.box.replaceChildren(...lines.map((line, index) => element(index === 0 ? "strong" : "span", { textContent: line })));
    this.box.hidden = false;
    const { clientWidth, clientHeight } = this.box.parentElement;
    const right = x + 14 + this.box.offsetWidth > clientWidth;
    const below = y + 18 + this.box.offsetHeight < clientHeight;
    this.box.style.left = `${Math.max(2, right ? x - 10 - this.box.offsetWidth : x + 14)}px`;
    this.box.style.top = `${Math.max(2, below ? y + 18 : y - 10 - this.box.offsetHeight)}px`;
  }

  #lines(hit) {
    if (hit.run !== undefined && hit.attempt === undefined) return this.#run(hit);
    if (hit.attempt !== undefined) return this.#attempt(hit.attempt);
    if (hit.refusal !== undefined) return this.#refusal(hit.refusal);
    if (hit.lease !== undefined) return this.#lease(hit.lease);
    if (hit.life !== undefined) return this.#life(hit.life);
    return hit.levels && this.#levels(hit);
  }

  #run({ run, time }) {
    const { runs, texts, steps } = this.data;
    const step = this.data.stepsOf(run).findLast((span) => span.begin <= time);
    const lines = [texts[runs.task[run]], `${runs.state[run].toLowerCase()}, ${formatSpan(runs.end[run] - runs.begin[run])}`];
    if (step) lines.push(`here: ${steps[step.step]}, ${formatSpan(step.end - step.begin)}`);
    if (texts[runs.code[run]]) lines.push(texts[runs.code[run]]);
    return lines;
  }

  #attempt(attempt) {
    const { attempts, calls, runs, texts } = this.data;
    const call = attempts.call[attempt];
    const lines = [
      texts[runs.task[this.data.runOfAttempt(attempt)]],
      `call ${calls.id[call]}, attempt ${attempts.number[attempt]}: ${attempts.outcome[attempt]}`,
      formatSpan(attempts.end[attempt] - attempts.begin[attempt]),
    ];
    if (calls.function[call]) lines.push(texts[calls.function[call]]);
    if (attempts.code[attempt]) lines.push(texts[attempts.code[attempt]]);
    return lines;
  }

  #refusal(refusal) {
    const { refusals, texts } = this.data;
    return [`${texts[refusals.task[refusal]]} was refused`, texts[refusals.code[refusal]], texts[refusals.message[refusal]],
      formatMoment(refusals.at[refusal])];
  }

  #lease(lease) {
    const { leases, texts } = this.data;
    return [`reserved for ${texts[leases.task[lease]]}`, formatSpan(leases.end[lease] - leases.begin[lease]),
      leases.expired[lease] ? "not used: the lease ran out" : "until it was submitted"];
  }

  #life(life) {
    const { lives, texts } = this.data;
    const lines = [`executor ${lives.executor[life]}, process ${lives.generation[life]}`,
      lives.pid[life] >= 0 ? `pid ${lives.pid[life]}` : "never connected"];
    if (lives.killReason[life]) lines.push(`killed: ${texts[lives.killReason[life]]}`);
    if (!Number.isNaN(lives.exited[life])) lines.push(`exited: ${texts[lives.exitReason[life]] || "no reason told"}`);
    return lines;
  }

  #levels({ levels, time }) {
    return [formatMoment(time), ...levels.map((level) => {
      const of = level.capacity > 0 ? ` of ${level.capacity}` : "";
      return `${level.words}: ${level.at(time)}${of}`;
    })];
  }
}

// Which tasks are looked for; all others are drawn faintly.
class Filter {
  constructor(data) {
    this.data = data;
    this.failedOnly = false;
    this.found = null;  // By the number of a text: 1 if it is an id that was looked for. Null: all.
    const { runs, refusals, leases } = data;
    this.ids = [...new Set([...runs.task, ...refusals.task, ...leases.task])];
  }

  // Returns the ids found, the exact one first.
  look(query) {
    const wanted = query.trim().toLowerCase();
    this.found = wanted === "" ? null : new Uint8Array(this.data.texts.length);
    if (!this.found) return [];
    const ids = this.ids.filter((id) => this.data.texts[id].toLowerCase().includes(wanted));
    for (const id of ids) this.found[id] = 1;
    const rank = (id) => {
      const text = this.data.texts[id].toLowerCase();
      return text === wanted ? 0 : text.startsWith(wanted) ? 1 : 2;
    };
    return ids.sort((a, b) => rank(a) - rank(b));
  }

  hides(task, failed) {
    return this.failedOnly && !failed || this.found !== null && this.found[task] === 0;
  }
}

class Search {
  static #MOST = 10;

  constructor(app, input, list) {
    this.app = app;
    this.input = input;
    this.list = list;
    input.addEventListener("input", () => this.#look());
    input.addEventListener("focus", () => this.#look());
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("blur", () => this.#close());
    // A press on the list must not take the focus, or the list is gone before it is clicked.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  #look() {
    const found = this.app.filter.look(this.input.value);
    this.app.redraw();
    this.active = 0;
    this.list.replaceChildren(...found.slice(0, Search.#MOST).map((task) => this.#option(task)));
    const others = found.length - Search.#MOST;
    const note = others > 0 ? `and ${formatCount(others, "more task")}` : found.length === 0 ? "no task has this in its id" : "";
    if (note) this.list.append(element("li", { className: "note", textContent: note }));
    this.#mark();
    const open = this.input.value.trim() !== "";
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
  }

  #option(task) {
    const { data } = this.app;
    const states = [...data.runsOfTask.of(task)].map((run) => data.runs.state[run].toLowerCase());
    const refused = data.refusalsOfTask.of(task).length;
    if (refused > 0) states.push("refused");
    const option = element("li", {}, data.texts[task], element("small", { textContent: states.join(", ") }));
    option.setAttribute("role", "option");
    option.addEventListener("click", () => this.#choose(task));
    option.choose = () => this.#choose(task);
    return option;
  }

  #options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  #mark() {
    this.#options().forEach((option, index) => option.setAttribute("aria-selected", String(index === this.active)));
  }

  #choose(task) {
    this.#close();
    this.app.choose(task);
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }

  #key(event) {
    const options = this.#options();
    if (event.key === "Enter" && options[this.active]) {
      options[this.active].choose();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : options.length - 1;
      this.active = options.length > 0 ? (this.active + step) % options.length : 0;
      this.#mark();
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.#look();
      this.app.canvas.focus();
    } else {
      return;
    }
    event.preventDefault();
  }
}

"""The page of `blockx-replay export --format html`, opened in a browser and used: what it tells is what the table tells."""

import unittest

from browser import Browser, poll
from replay_logs import LogTestCase, import_lines, lines_of, record, replay, rows

ENTER, ESCAPE, HOME = "\ue007", "\ue00c", "\ue011"
STEPS = {
    "waiting for a slot": "waiting_for_slot_us", "activation": "activation_us",
    "waiting for builder permit": "waiting_for_builder_permit_us", "building": "building_us",
    "waiting for executors": "waiting_for_executors_us", "calls": "calls_us",
    "waiting for plugin permit": "waiting_for_plugin_permit_us", "writing": "writing_us", "total": "total_us",
}
# Where the run of a task stands in the window; the view goes there first.
PLACE_OF_RUN = """
  const task = app.data.texts.indexOf(arguments[0]);
  const [run] = app.data.runsOfTask.of(task);
  const begin = app.data.runs.begin[run], end = app.data.runs.end[run];
  app.view.show(begin - (end - begin), end + (end - begin));
  app.rows.reveal(app.rows.slotRow(run));
  app.draw();
  const box = app.canvas.getBoundingClientRect();
  const x = app.view.x((begin + end) / 2);
  for (let y = 0; y < box.height; ++y) {
    if (app.hit(x, y)?.run === run) return [box.x + x, box.y + y + 2];
  }
"""
HOSTILE = '</script><img src=x onerror="window.taken=1"><!--<script>window.taken=1</script>'


class TimelinePageTest(LogTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.log, _ = record(cls.shared, "burst.json", 'workload.0.duration="40s"', "worker.taskSlots=30")
        cls.rows = rows(cls.log)
        cls.page = cls.shared / "page.html"
        assert replay("export", str(cls.log), "--format", "html", "--out", str(cls.page)).returncode == 0
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.open(self.page)

    def open(self, page):
        self.browser.open(page.as_uri())
        self.assertEqual(self.browser.complaints(), [])

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def panel(self):
        return "" if self.browser.run("return document.getElementById('panel').hidden") else self.text("#panel")

    def view(self):
        return self.browser.run("return [app.view.from, app.view.to]")

    def steps(self):
        """The steps as the panel tells them, in microseconds."""
        return dict(self.browser.run(
            "return [...document.querySelectorAll('.steps tr')].map((row) => [row.innerText.split('\\t')[0].trim(),"
            " row.querySelector('td').dataset.us])"))

    def find(self, text):
        self.browser.run("document.getElementById('search').value = ''")
        self.browser.type("#search", text)

    def in_state(self, state):
        return [row for row in self.rows if row["state"] == state]

    # ---- A task's story ----

    def test_a_press_on_a_task_tells_its_story(self):
        for row in (self.in_state("SUCCEEDED")[40], self.in_state("FAILED")[0]):
            self.browser.pointer(self.browser.run(PLACE_OF_RUN, row["task_id"]), "down", "up")
            text = self.panel()
            self.assertIn(row["task_id"], text.splitlines()[0])
            self.assertIn(row["state"], text)
            self.assertIn(f"slot {row['slot']}", text)
            self.assertIn(row["failure_code"], text)
            self.assertIn(f"{row['calls_total']} calls", text)
            told = self.steps()
            for words, column in STEPS.items():
                self.assertEqual(told.get(words, ""), row[column], words)

    def test_its_calls_are_told_attempt_by_attempt(self):
        row = next(row for row in self.in_state("SUCCEEDED") if int(row["calls_retried"]) > 0)
        self.find(row["task_id"] + ENTER)
        text = self.panel()
        self.assertEqual(text.count("attempt "), int(row["calls_total"]) + int(row["calls_retried"]))
        self.assertEqual(text.count(", failed after "), int(row["calls_retried"]))

    def test_a_refusal_tells_who_held_the_slots_and_leads_there(self):
        row = self.in_state("REFUSED")[0]
        self.find(row["task_id"] + ENTER)
        text = self.panel()
        self.assertIn("NO_SLOT", text)
        self.assertIn(row["message"], text)
        self.assertIn("and 22 others", text)  # of 30 slots
        holder = self.text(".holders button")
        self.browser.click(".holders button")
        self.assertEqual(self.text("#panel h2"), holder)
        self.assertNotEqual(holder, row["task_id"])

    def test_the_panel_is_closed_by_a_key_and_by_its_button(self):
        task = self.in_state("SUCCEEDED")[0]["task_id"]
        self.find(task + ENTER)
        self.browser.click("#panel .close")
        self.assertEqual(self.panel(), "")
        self.find(task + ENTER)
        self.browser.run("app.canvas.focus()")
        self.browser.keys(ESCAPE)
        self.assertEqual(self.panel(), "")

    def test_the_pointer_over_a_task_names_it(self):
        row = self.in_state("SUCCEEDED")[40]
        self.browser.pointer(self.browser.run(PLACE_OF_RUN, row["task_id"]))
        self.assertTrue(self.text("#tooltip").startswith(row["task_id"]), self.text("#tooltip"))

    # ---- Finding ----

    def test_search_lists_what_matches_and_goes_there(self):
        task = self.in_state("FAILED")[0]["task_id"]
        self.find(task)
        options = self.browser.run("return [...document.querySelectorAll('#found [role=option]')].map((o) => o.innerText)")
        self.assertTrue(options[0].startswith(task))
        self.assertIn("failed", options[0])
        self.find(task + ENTER)
        self.assertIn("FAILED", self.panel())
        begin, end = self.view()
        self.assertLess(begin, int(self.in_state("FAILED")[0]["accepted_us"]))
        self.assertGreater(end, int(self.in_state("FAILED")[0]["ended_us"]))

    def test_search_says_when_there_is_none(self):
        self.find("nobody")
        self.assertIn("no task has this in its id", self.text("#found"))

    def test_failed_only_leaves_the_failed_tasks_to_go_through(self):
        self.browser.click("#failed-only")
        self.browser.run("app.canvas.focus()")
        self.browser.keys(HOME)
        told = []
        for _ in self.in_state("FAILED"):
            self.browser.keys("]")
            told.append(self.text("#panel h2"))
        self.assertEqual(told, [row["task_id"] for row in self.in_state("FAILED")])
        self.browser.keys("]")  # There is no other.
        self.assertEqual(self.text("#panel h2"), told[-1])

    # ---- Moving ----

    def test_wheel_drag_and_keys_zoom_and_move(self):
        whole = self.view()
        self.browser.wheel(700, 500, -600)
        near = self.view()
        self.assertLess(near[1] - near[0], (whole[1] - whole[0]) / 2)
        self.browser.pointer((700, 500), "down", (500, 500), "up")
        moved = self.view()
        self.assertGreater(moved[0], near[0])
        self.assertAlmostEqual(moved[1] - moved[0], near[1] - near[0], delta=1)
        self.assertEqual(self.panel(), "")  # A drag chooses nothing.
        self.browser.run("app.canvas.focus()")
        self.browser.keys("+")
        self.assertLess(self.view()[1] - self.view()[0], moved[1] - moved[0])
        self.browser.keys("0")
        self.assertEqual(self.view(), whole)

    def test_the_buttons_zoom(self):
        whole = self.view()
        self.browser.click("#zoom-in")
        self.assertAlmostEqual(self.view()[1] - self.view()[0], (whole[1] - whole[0]) / 2, delta=1)
        self.browser.click("#fit")
        self.assertEqual(self.view(), whole)

    def test_the_overview_chooses_what_is_shown(self):
        left, top, middle = self.browser.run(
            "const box = document.getElementById('overview').getBoundingClientRect();"
            "return [app.overview.x(10e6) + box.x, app.overview.x(20e6) + box.x, box.y + box.height / 2]")
        self.browser.pointer((left, middle), "down", (top, middle), "up")
        begin, end = self.view()
        self.assertAlmostEqual(begin, 10e6, delta=0.2e6)
        self.assertAlmostEqual(end, 20e6, delta=0.2e6)

    def test_what_is_shown_is_drawn(self):
        colours = """
          const { data } = app.context.getImageData(0, 0, app.canvas.width, app.canvas.height);
          const seen = new Set();
          for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
          return ["failed", "refused", "calls"].map((name) => seen.has(parseInt(app.theme[name].slice(1), 16)));
        """
        self.assertEqual(self.browser.run(colours), [True, True, True])

    # ---- Anywhere, with anything ----

    def test_it_loads_nothing(self):
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').length"), 0)

    def test_hostile_text_stays_text(self):
        lines = lines_of(self.log)
        for line in lines:
            for event in line.get("event", {}).values():
                if event.get("taskId") == "a1":
                    event["taskId"] = HOSTILE
        page = self.folder / "page.html"
        replay("export", str(import_lines(self.folder / "log", lines)), "--format", "html", "--out", str(page))
        self.open(page)
        self.find("<img" + ENTER)
        self.assertEqual(self.text("#panel h2"), HOSTILE)
        self.browser.pointer(self.browser.run(PLACE_OF_RUN, HOSTILE))
        self.assertIn("onerror", self.text("#tooltip"))
        self.assertEqual(self.browser.run("return [window.taken ?? null, document.images.length, document.scripts.length]"),
                         [None, 0, 2])

    def test_a_log_without_tasks_and_one_of_one_step_can_be_shown(self):
        for count in (2, 3):
            page = self.folder / f"{count}.html"
            log = import_lines(self.folder / str(count), lines_of(self.log)[:count])
            self.assertEqual(replay("export", str(log), "--format", "html", "--out", str(page)).returncode, 0)
            self.open(page)
            self.assertEqual(self.text("h1"), "worker-0")

    def test_of_one_task_it_opens_with_its_story(self):
        row = self.in_state("FAILED")[0]
        page = self.folder / "page.html"
        replay("export", str(self.log), "--format", "html", "--task", row["task_id"], "--out", str(page))
        self.open(page)
        self.assertEqual(self.text("#panel h2"), row["task_id"])
        self.assertEqual(self.steps()["total"], row["total_us"])

    def test_it_fits_a_small_screen(self):
        browser = Browser(500, 800)
        self.addCleanup(browser.close)
        browser.open(self.page.as_uri())
        browser.run("app.choose(app.data.runs.task[0])")
        poll(lambda: browser.run("return app.panel.covers() > 0"), "the panel lies over the timeline")
        self.assertEqual(browser.run("return document.documentElement.scrollWidth - innerWidth"), 0)

    def test_it_follows_a_dark_desktop(self):
        browser = Browser(preferences=("--force-dark-mode", "--blink-settings=preferredColorScheme=0"))
        self.addCleanup(browser.close)
        browser.open(self.page.as_uri())
        self.assertEqual(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"), True)
        self.assertNotEqual(browser.run("return app.theme.ground"), self.browser.run("return app.theme.ground"))


if __name__ == "__main__":
    unittest.main()

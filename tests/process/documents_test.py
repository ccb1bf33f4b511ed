"""What the documents show is what the program does."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["BLOCKX_SIM"]
SCENARIOS = pathlib.Path(os.environ["BLOCKX_SCENARIOS"])
README = (SCENARIOS.parent / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


class ReadmeTest(unittest.TestCase):
    def test_its_scenario_runs_and_meets_its_objectives(self):
        (scenario,) = blocks("jsonc")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scenario.json"
            file.write_text(scenario, encoding="utf-8")
            done = subprocess.run([PROGRAM, "run", str(file)], capture_output=True, encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_its_first_result_is_what_the_demo_prints(self):
        (shown,) = blocks("text")
        done = subprocess.run([PROGRAM, "run", str(SCENARIOS / "real-trace.json")], capture_output=True,
                              encoding="utf-8", check=True)
        for line in shown.splitlines():
            if "real time" not in line:  # how fast this machine was
                self.assertIn(line, done.stdout)


if __name__ == "__main__":
    unittest.main()

"""Feeds the same event sequences to the engine's text driver and to the model, and compares them step by step.

    differential.py --binary build/release/bin/blockx-sim --seeds 1..500 --steps 300 [--keep DIR]

Exit status: 0 no difference, 1 a difference or a crash (printed, made shorter, written to files), 2 bad usage.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import text_form
from generate import Generator
from worker_model import Model

TIMEOUT_SECONDS = 120
SHRINK_SECONDS = 60


class Difference(Exception):
    def __init__(self, step, what, expected, found):
        super().__init__(what)
        self.step, self.what, self.expected, self.found = step, what, expected, found


class Engine:
    """The text driver: one process for each sequence."""

    def __init__(self, binary, directory):
        self.binary = binary
        self.config_path = pathlib.Path(directory) / "config.json"

    def run(self, config, steps):
        """The output lines, the exit status and what went to standard error."""
        self.config_path.write_text(json.dumps(config), encoding="utf-8")
        command = [self.binary, "engine", "--config", str(self.config_path), "--state", "--check"]
        lines = "".join(json.dumps(step, ensure_ascii=False) + "\n" for step in steps)
        done = subprocess.run(command, input=lines.encode(), capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
        return done.stdout.decode().splitlines(), done.returncode, done.stderr.decode(errors="replace")


def expected_of(model, step):
    answer, commands = model.apply(int(step["nowUs"]), step["event"])
    return {
        "reply": text_form.reply(answer),
        "commands": [text_form.command(command) for command in commands],
        "nextDeadlineUs": text_form.instant(model.next_deadline_us()),
    }


def found_of(line):
    output = json.loads(line)
    return {
        "reply": text_form.reply(output.get("reply")),
        "commands": [text_form.command(command) for command in output.get("commands") or []],
        "nextDeadlineUs": text_form.instant(output.get("nextDeadlineUs")),
    }


def compare(engine, config, steps):
    """Raises the first Difference."""
    lines, status, complaint = engine.run(config, steps)
    model = Model(config)
    for index, step in enumerate(steps):
        expected = expected_of(model, step)
        if index >= len(lines):
            raise Difference(index, f"the engine stopped with exit status {status}", expected, complaint[-2000:])
        try:
            found = found_of(lines[index])
        except (ValueError, AttributeError, TypeError) as error:
            raise Difference(index, f"not the text form: {error}", expected, lines[index]) from error
        for part in expected:
            if not text_form.same(expected[part], found[part]):
                raise Difference(index, part, expected[part], found[part])
    if status != 0 or len(lines) > len(steps):
        raise Difference(len(steps) - 1, f"exit status {status}, {len(lines)} lines", "", complaint[-2000:])


def difference(engine, config, steps):
    try:
        compare(engine, config, steps)
    except Difference as found:
        return found
    return None


def shrink(engine, config, steps):
    """Drops chunks, halving them, for as long as some part still differs."""
    give_up = time.monotonic() + SHRINK_SECONDS
    chunk = max(1, len(steps) // 2)
    while True:
        start = 0
        while start < len(steps):
            shorter = steps[:start] + steps[start + chunk:]
            found = difference(engine, config, shorter) if shorter else None
            if found:
                steps = shorter[:found.step + 1]
            else:
                start += chunk
            if time.monotonic() > give_up:
                return steps
        if chunk == 1:
            return steps
        chunk //= 2


def write(directory, seed, config, steps):
    """Files that the engine's text driver can be run with."""
    directory.mkdir(parents=True, exist_ok=True)
    config_path, steps_path = directory / f"seed-{seed}.config.json", directory / f"seed-{seed}.jsonl"
    config_path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    lines = [json.dumps(step, ensure_ascii=False) + "\n" for step in steps]
    steps_path.write_text("".join(lines), encoding="utf-8")
    return config_path, steps_path


def pretty(value):
    if isinstance(value, list) and value:
        return "".join(f"\n    {item}" for item in value)
    return value


def report(title, steps, found):
    print(f"{title}: step {found.step + 1} of {len(steps)}: {found.what}")
    print(f"  input:    {json.dumps(steps[found.step], ensure_ascii=False)[:1000]}")
    print(f"  expected: {pretty(found.expected)}")
    print(f"  found:    {pretty(found.found)}")


def examine(engine, seed, steps_wanted, keep):
    """Whether the two agree on this seed."""
    generator = Generator(seed)
    steps = list(generator.steps(steps_wanted))
    config = generator.config
    found = difference(engine, config, steps)
    if not found:
        return True
    report(f"seed {seed}", steps, found)
    steps = shrink(engine, config, steps[:found.step + 1])
    found = difference(engine, config, steps)
    report(f"seed {seed}, made shorter", steps, found)
    config_path, steps_path = write(keep, seed, config, steps)
    print(f"  again:    {engine.binary} engine --config {config_path} --state --check < {steps_path}")
    return False


def seed_range(text):
    first, _, last = text.partition("..")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the program with the text driver, blockx-sim")
    parser.add_argument("--seeds", type=seed_range, default=seed_range("1..100"), metavar="A..B")
    parser.add_argument("--steps", type=int, default=300, metavar="N")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("differences"), metavar="DIR")
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    given = parser.parse_args()
    if given.steps < 1 or not given.seeds or not pathlib.Path(given.binary).is_file():
        parser.error("wants --steps of at least 1, --seeds as A..B with A at most B, and a --binary that exists")
    differing = []
    with tempfile.TemporaryDirectory() as directory:
        engine = Engine(given.binary, directory)
        for seed in given.seeds:
            if not examine(engine, seed, given.steps, given.keep):
                differing.append(seed)
                if not given.all:
                    break
    if differing:
        print(f"differences: seeds {differing}")
        return 1
    print(f"{len(given.seeds)} sequences of up to {given.steps} steps agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())

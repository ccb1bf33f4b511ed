"""What the structural tests share: where the project is and which text files it has."""

import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Folders of the top level that hold the project's own text.
FOLDERS = (
    ".ci", "docs", "engine", "proto", "replay", "scenarios", "sim", "tests", "tools", "transports",
)


def files(root, folders, suffixes):
    """All files with one of the suffixes below the folders, in order of their paths."""
    found = []
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                found.append(path)
    return sorted(found)


class ProjectTestCase(unittest.TestCase):
    """A test whose failure is a list of violations, one line each."""

    def assert_none(self, violations):
        if violations:
            self.fail("\n" + "\n".join(violations))


class PlantedTestCase(ProjectTestCase):
    """A test that plants violations into an empty project of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.planted_root = pathlib.Path(directory.name)

    def plant(self, path, text):
        target = self.planted_root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

"""The habits hold; and the test would see it if one did not."""

import unittest

import project
import tidy


class TidyTest(project.ProjectTestCase):
    def test_the_project_is_tidy(self):
        self.assert_none(tidy.violations(project.ROOT))


class PlantedTidyTest(project.PlantedTestCase):
    def assert_found(self, path, text, line, words):
        self.plant(path, text)
        found = tidy.violations(self.planted_root)
        self.assertEqual(1, len(found), found)
        self.assertTrue(found[0].startswith(f"{path}:{line}: "), found)
        self.assertIn(words, found[0])

    def test_a_wrong_include_guard(self):
        self.assert_found(
            "engine/include/blockx/engine/a.h", "#ifndef A_H\n#define A_H\n#endif  // A_H\n", 1, "BLOCKX_ENGINE_A_H_")

    def test_a_private_headers_guard_names_its_path(self):
        guard = "BLOCKX_SIM_SRC_A_H_"
        self.plant("sim/src/a.h", f"#ifndef {guard}\n#define {guard}\n#endif  // {guard}\n")
        self.assert_none(tidy.violations(self.planted_root))

    def test_a_long_file(self):
        self.assert_found("sim/src/a.cc", "int x;\n" * (tidy.MAX_LINES + 1), tidy.MAX_LINES + 1, "longer than")

    def test_an_unfinished_mark(self):
        self.assert_found("sim/src/a.cc", "\n// TO" "DO: more\n", 2, "unfinished")

    def test_banned_in_the_engine(self):
        for code in ("#include <random>", "auto t = std::chrono::steady_clock::now();", "std::hash<int> h;", "double x;"):
            self.assert_found("engine/src/a.cc", f"{code}\n", 1, "")

    def test_banned_in_every_room(self):
        for code in ("double y = std::log(2.0);", "std::normal_distribution<> d;", "std::hash<int> h;"):
            self.assert_found("sim/src/a.cc", f"{code}\n", 1, "")

    def test_a_comment_may_name_what_is_banned(self):
        self.plant("sim/src/a.cc", "// Not std::log(x): its last bits differ.\n")
        self.assert_none(tidy.violations(self.planted_root))


if __name__ == "__main__":
    unittest.main()

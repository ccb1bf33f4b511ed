"""Rules and tests belong together; and the test would see it if they did not."""

import unittest

import project
import rules


class RulesTest(project.ProjectTestCase):
    def test_every_rule_has_a_test_and_every_cited_rule_exists(self):
        self.assert_none(rules.violations(project.ROOT))
        self.assertGreater(len(rules.rules(project.ROOT)), 50, "the page's rules were not recognised")


class PlantedRulesTest(project.PlantedTestCase):
    def setUp(self):
        super().setUp()
        self.plant("docs/engine-rules.md", "- **R-SLOT-1** There are slots.\n- **R-ARG** Arguments; see R-SLOT-1.\n")

    def test_a_rule_without_a_test(self):
        self.plant("tests/engine/a_test.cc", "TEST(SlotsTest, R_ARG_EmptyId) {}\n")
        self.assertEqual(["docs/engine-rules.md: no test's name cites R-SLOT-1"], rules.violations(self.planted_root))

    def test_a_citation_of_a_longer_number_is_no_citation(self):
        self.plant("tests/engine/a_test.cc", "TEST(A, R_ARG_X) {}\nTEST(A, R_SLOT_11_X) {}\n")
        found = rules.violations(self.planted_root)
        self.assertIn("docs/engine-rules.md: no test's name cites R-SLOT-1", found)
        self.assertIn("tests/engine/a_test.cc:2: R-SLOT-11 is not a rule of docs/engine-rules.md", found)

    def test_a_mention_of_no_rule(self):
        self.plant("tests/engine/a_test.cc", "RC_GTEST_PROP(A, R_ARG_X, (int)) {}\nTEST_P(A,\n  R_SLOT_1_X) {}\n")
        self.plant("engine/src/a.cc", "// See R-SLOT-2 and R-SLOT.\n")
        self.assertEqual(
            ["engine/src/a.cc:1: R-SLOT-2 is not a rule of docs/engine-rules.md"], rules.violations(self.planted_root))


if __name__ == "__main__":
    unittest.main()

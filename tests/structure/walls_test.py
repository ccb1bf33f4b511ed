"""No include and no link crosses a wall; and the test would see it if one did."""

import os
import unittest

import project
import walls


class WallsTest(project.ProjectTestCase):
    def test_no_include_crosses_a_wall(self):
        self.assert_none(walls.include_violations(project.ROOT))

    @unittest.skipUnless("BLOCKX_TARGETS" in os.environ, "run by ctest: needs the list of targets")
    def test_no_link_crosses_a_wall(self):
        targets = walls.read_targets(os.environ["BLOCKX_TARGETS"])
        self.assert_none(walls.link_violations(targets))
        names = {target["name"] for target in targets}
        self.assertLessEqual({"blockx_engine", "blockx_proto", "blockx_replay", "blockx_sim"}, names)


class PlantedIncludeTest(project.PlantedTestCase):
    def assert_found(self, path, include, named):
        self.plant(path, f"// A comment.\n#include {include}\n")
        violations = walls.include_violations(self.planted_root)
        self.assertEqual(1, len(violations), violations)
        self.assertIn(f"{path}:2:", violations[0])
        self.assertIn(named, violations[0])

    def test_engine_including_sim(self):
        self.assert_found("engine/src/a.cc", '"blockx/sim/clock.h"', "(sim)")

    def test_sim_including_transports(self):
        self.assert_found("sim/src/a.cc", '"blockx/transports/loop.h"', "(transports)")

    def test_transports_including_sim(self):
        self.assert_found("transports/src/a.cc", '"blockx/sim/clock.h"', "(sim)")

    def test_engine_including_another_library(self):
        self.assert_found("engine/include/blockx/engine/a.h", "<nlohmann/json.hpp>", "(json)")

    def test_engine_including_the_system(self):
        self.assert_found("engine/src/a.cc", "<unistd.h>", "(posix)")

    def test_a_private_header_of_another_room(self):
        self.plant("sim/src/clock.h", "")
        self.assert_found("replay/src/a.cc", '"../../sim/src/clock.h"', "(sim)")

    def test_an_unknown_library(self):
        self.assert_found("sim/src/a.cc", "<boost/any.hpp>", "of no known library")

    def test_what_is_allowed_passes(self):
        self.plant("sim/src/clock.h", "")
        self.plant("sim/src/a.cc", '#include <vector>\n#include "clock.h"\n#include "blockx/engine/engine.h"\n')
        self.assert_none(walls.include_violations(self.planted_root))


class PlantedLinkTest(project.ProjectTestCase):
    def violations(self, directory, links):
        return walls.link_violations([{"name": "planted", "directory": directory, "links": links}])

    def test_engine_linking_another_room(self):
        for spelling in ("blockx::sim", "blockx_sim", "$<LINK_ONLY:$<BUILD_INTERFACE:blockx_sim>>"):
            found = self.violations("engine", f"absl::flat_hash_map;{spelling};blockx_options")
            self.assertEqual(1, len(found), found)
            self.assertIn("(sim)", found[0])

    def test_a_library_of_another_room(self):
        self.assertIn("(protobuf)", self.violations("sim", "protobuf::libprotobuf")[0])

    def test_an_unknown_library(self):
        self.assertIn("no known library", self.violations("transports/grpc", "Boost::headers")[0])

    def test_what_is_allowed_passes(self):
        self.assert_none(self.violations("sim", "blockx::engine;blockx::engine;nlohmann_json::nlohmann_json"))


if __name__ == "__main__":
    unittest.main()

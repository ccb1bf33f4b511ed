"""The engine is pure; and the test would see it if it were not."""

import os
import unittest

import project
import purity


@unittest.skipUnless("BLOCKX_READELF" in os.environ, "run by ctest: needs the built object code")
class PurityTest(project.ProjectTestCase):
    def symbols(self, variable):
        return purity.undefined_symbols(os.environ["BLOCKX_READELF"], os.environ[variable].split(";"))

    def test_engine_uses_nothing_impure(self):
        symbols = self.symbols("BLOCKX_ENGINE")
        self.assertIn("operator new(unsigned long)", symbols, "no object code was read")
        self.assert_none(purity.impurities(symbols))

    def test_planted_impurities_are_found(self):
        found = purity.impurities(self.symbols("BLOCKX_PLANTED"))
        for name in (
                "time", "std::chrono::_V2::system_clock::now()", "std::chrono::_V2::steady_clock::now()", "getenv",
                "rand", "std::random_device::_M_getval()", "setlocale", "puts", "std::cout",
                "std::thread::join()", "pthread_mutex_lock"):
            self.assertTrue(any(line.endswith(f" uses {name}") for line in found), (name, found))
        self.assertTrue(any("basic_ifstream" in line or "basic_filebuf" in line for line in found), found)


if __name__ == "__main__":
    unittest.main()

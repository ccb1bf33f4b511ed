"""A reader that knows only docs/event-log.md reads what `blockx-replay` reads."""

import base64
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import independent_reader

REPLAY = os.environ["BLOCKX_REPLAY"]
SIM = os.environ["BLOCKX_SIM"]
SCENARIOS = pathlib.Path(os.environ["BLOCKX_SCENARIOS"])
CORPUS = SCENARIOS.parent / "tests" / "replay" / "corpus" / "v1"
WHOLE = [folder for folder in sorted(CORPUS.iterdir()) if folder.name != "torn"]


def lines(command, log):
    done = subprocess.run([REPLAY, command, str(log), *(["--json"] if command == "show" else [])], check=True,
                          capture_output=True, encoding="utf-8")
    return [json.loads(line) for line in done.stdout.splitlines()]


class IndependentReaderTest(unittest.TestCase):
    def assert_same_records(self, log):
        read = [found[1] for found in independent_reader.log(log) if found[0] == "record"]
        shown = lines("show", log)
        self.assertEqual(len(read), len(shown))
        for record, line in zip(read, shown):
            self.assertEqual(
                (str(record["sequence"]), str(record["nowUs"]), record["digest"], {record["event"]}),
                (line["sequence"], line.get("nowUs", "0"), line["digest"], set(line["event"])))

    def test_each_record_is_the_same(self):
        for log in WHOLE:
            with self.subTest(log=log.name):
                self.assert_same_records(log)

    def test_so_it_is_in_a_log_of_this_build(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SIM, "run", str(SCENARIOS / "quickstart.json"), "--record", folder, "--quiet"], check=True)
            self.assert_same_records(pathlib.Path(folder) / "worker-0")

    def test_each_header_is_the_same(self):
        for log in WHOLE:
            (_, header), *_ = independent_reader.log(log)
            said = lines("export", log)[0]["header"]
            self.assertEqual(header["config"], {s["path"]: int(s.get("value", 0)) for s in said["config"]})
            for name in ("format", "engineVersion", "worker", "segment"):
                self.assertEqual(str(header[name]), said[name])

    def test_each_snapshot_stands_at_the_same_place(self):
        for log in WHOLE:
            read = [found[1:] for found in independent_reader.log(log) if found[0] == "snapshot"]
            said = [line["snapshot"] for line in lines("export", log) if "snapshot" in line]
            self.assertEqual(read, [(int(s.get("sequence", 0)), int(s.get("digest", 0))) for s in said])

    def test_a_payload_s_fingerprint_is_as_the_page_says(self):
        """Of the same calls in a log with payloads, and in one without."""
        full = {line["sequence"]: line["event"] for line in lines("export", CORPUS / "full") if "event" in line}
        checked = set()
        for line in lines("export", CORPUS / "every-kind"):
            left_out = line.get("event", {}).get("callSucceeded", {}).get("outputLeftOut")
            if left_out is None or line["sequence"] not in full:
                continue
            output = base64.b64decode(full[line["sequence"]]["callSucceeded"]["output"])
            self.assertEqual((int(left_out["size"]), int(left_out["fingerprint"])),
                             (len(output), independent_reader.fingerprint(output)))
            checked.add(output)
        self.assertTrue(checked)

    def test_it_sees_a_flipped_bit(self):
        """A reader that takes anything would prove nothing."""
        file = CORPUS / "quickstart" / "segment-00000000000000000000.blxlog"
        data = bytearray(file.read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            for at in range(0, len(data), 499):
                changed = bytearray(data)
                changed[at] ^= 4
                copy = pathlib.Path(folder) / file.name
                copy.write_bytes(changed)
                with self.assertRaises((ValueError, IndexError, struct.error)):
                    list(independent_reader.log(folder))


if __name__ == "__main__":
    unittest.main()

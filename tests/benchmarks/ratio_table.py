"""Prints the ratios between benchmarks of one run: `ratio_table.py RESULTS.json`, written by Google Benchmark.

A benchmark counts with its fastest repetition, per item: other load on the machine only ever makes one slower.
"""

import json
import sys

# What is compared, what is measured, what it is measured against, and the bounds that the project sets itself.
RATIOS = [
    ("a task's whole life / the bare data structures", "BM_TaskLife", "BM_BareTaskLife", (0, 2.0)),
    ("idle Tick, free slots: 1,000,000 / 10", "BM_IdleTick/slots:1000000/reserved:0", "BM_IdleTick/slots:10/reserved:0",
     (0, 1.2)),
    ("idle Tick, reserved slots: 1,000,000 / 10", "BM_IdleTick/slots:1000000/reserved:1",
     "BM_IdleTick/slots:10/reserved:1", (0, 1.2)),
    ("erlang-b.json, 1,000,000 arrivals / a bare loop", "BM_ErlangB/arrivals:1000000", "BM_BareLoop/arrivals:1000000",
     (0, 8.0)),
    ("simulation, per task: 10^6 / 10^5 arrivals", "BM_ErlangB/arrivals:1000000", "BM_ErlangB/arrivals:100000",
     (0.9, 1.1)),
    ("simulation, per task: 10^7 / 10^5 arrivals", "BM_ErlangB/arrivals:10000000", "BM_ErlangB/arrivals:100000",
     (0.9, 1.1)),
    ("verifying a log / the engine alone", "BM_VerifiedLives", "BM_BareLives", (0, 2.0)),
    ("a seek in 10,000,000 records / reading them all", "BM_SeekLongLog", "BM_ReadLongLog", (0, 0.01)),
]


def best_times(results):
    """Benchmark name to nanoseconds an item, the best of its repetitions."""
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    best = {}
    for run in results["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        per_second = run.get("items_per_second")
        time = 1e9 / per_second if per_second else run["cpu_time"] * scale[run["time_unit"]]
        name = run["run_name"]
        best[name] = min(time, best.get(name, time))
    return best


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        best = best_times(json.load(stream))
    print(f"{'ratio':48} {'measured':>12} {'against':>12} {'ratio':>7}   bounds")
    for title, measured, against, (low, high) in RATIOS:
        if measured not in best or against not in best:
            continue
        ratio = best[measured] / best[against]
        bounds = f"{low:g} to {high:g}" if low else f"at most {high:g}"
        verdict = "" if low <= ratio <= high else "   MISSED"
        print(f"{title:48} {best[measured]:9.1f} ns {best[against]:9.1f} ns {ratio:7.3f}   {bounds}{verdict}")


if __name__ == "__main__":
    main()

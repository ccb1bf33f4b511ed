"""Habits that a machine can hold: guards, lengths, unfinished marks, and what the engine's text must not name."""

import re

import project

MAX_LINES = 500
SOURCES = (".cc", ".h", ".py", ".js", ".css")

# What the engine may not even mention, with the reason. Its object code is purity_test.py's.
BANNED_IN_ENGINE = {
    r"#\s*include\s*<(random|thread|mutex|shared_mutex|condition_variable|future|semaphore|stop_token|atomic)>":
        "no randomness and no threads in the engine",
    r"#\s*include\s*<(iostream|ostream|istream|fstream|sstream|cstdio|filesystem|locale|clocale|ctime)>":
        "no I/O, locale or calendar in the engine",
    r"\b(system_clock|steady_clock|high_resolution_clock)\b|\babsl::Now\b": "time comes with the event",
    r"\bstd::hash\b|\babsl::Hash(Of)?\b": "differs between processes or libraries: use Fingerprint",
    r"\bstd::unordered_|\bstd::shuffle\b|_distribution\b": "differs between standard libraries",
    r"\b(float|double)\b": "no floating point in a decision",
}
# In the whole C++ of the project: what would make a simulation's bits depend on the library or the machine.
BANNED_IN_ROOMS = {
    r"\bstd::hash\b|\babsl::Hash(Of)?\b|\babsl::BitGen\b": "differs between processes",
    r"\bstd::\w+_distribution\b|\bstd::shuffle\b|\brandom_device\b": "differs between standard libraries",
    r"\bstd::(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|atan|cbrt|tgamma|lgamma|erf)\(":
        "its last bits differ between CPUs: use the simulator's own",
}
# Spelled in two parts, so that this file does not find itself.
_UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
_COMMENT = re.compile(r"//.*")


def _guard(path, root):
    parts = path.relative_to(root).parts
    name = "/".join(parts[parts.index("include") + 1:] if "include" in parts else ("blockx", *parts))
    return re.sub(r"[^A-Z0-9]", "_", name.upper()) + "_"


def _check_text(text):
    if not text.endswith("\n") and text:
        yield text.count("\n") + 1, "does not end with a newline"
    for number, line in enumerate(text.splitlines(), start=1):
        if _UNFINISHED.search(line):
            yield number, "unfinished: finish it, or say in docs/ what is not there"
        if line != line.rstrip():
            yield number, "ends with blanks"


def _check_banned(text, banned):
    for number, line in enumerate(text.splitlines(), start=1):
        code = _COMMENT.sub("", line)
        for pattern, reason in banned.items():
            match = re.search(pattern, code)
            if match:
                yield number, f"{match.group(0)}: {reason}"


def _check_header(path, root, text):
    guard = _guard(path, root)
    lines = [line for line in text.splitlines() if line.startswith("#")]
    if lines[:2] != [f"#ifndef {guard}", f"#define {guard}"] or not text.endswith(f"#endif  // {guard}\n"):
        yield 1, f"wants the include guard {guard}"


def _check_file(path, root):
    text = path.read_text(encoding="utf-8")
    room = path.relative_to(root).parts[0]
    yield from _check_text(text)
    if path.suffix in SOURCES and text.count("\n") > MAX_LINES:
        yield MAX_LINES + 1, f"longer than {MAX_LINES} lines: give its second job a file of its own"
    if path.suffix == ".h":
        yield from _check_header(path, root, text)
    if path.suffix in (".cc", ".h") and room != "tests":
        yield from _check_banned(text, BANNED_IN_ENGINE if room == "engine" else BANNED_IN_ROOMS)


def violations(root):
    """One line for each place that breaks a habit."""
    lines = []
    suffixes = set(SOURCES) | {".md", ".txt", ".cmake", ".proto", ".in", ".html"}
    for path in project.files(root, project.FOLDERS, suffixes):
        lines.extend(f"{path.relative_to(root)}:{line}: {message}" for line, message in _check_file(path, root))
    return lines

"""Each rule of docs/engine-rules.md is cited by a test's name, and each cited rule is on the page.

A rule stands on the page as **R-SLOT-3**; a test cites it as R_SLOT_3 in its name, several by one name if need be.
"""

import re

import project

PAGE = "docs/engine-rules.md"

_ID = r"R-[A-Z]+(?:-[0-9]+)?"
_TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+)\s*,\s*(\w+)")
_CITED = re.compile(r"(?<![A-Za-z0-9])R_([A-Z]+)(?:_([0-9]+))?(?=_|$)")


def rules(root):
    """The ids that the page states."""
    return set(re.findall(rf"\*\*({_ID})\*\*", (root / PAGE).read_text(encoding="utf-8")))


def cited_by_tests(root):
    """Rule id to the place of a test that cites it."""
    cited = {}
    for path in project.files(root, ["tests"], {".cc"}):
        text = path.read_text(encoding="utf-8")
        for match in _TEST.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            for family, number in _CITED.findall(match.group(2)):
                cited.setdefault(f"R-{family}-{number}" if number else f"R-{family}", f"{path.relative_to(root)}:{line}")
    return cited


def mentioned(root):
    """Rule id to a place where the code or a page speaks of it."""
    found = {}
    for path in project.files(root, ["docs", "engine", "replay", "sim", "transports", "tools"], {".cc", ".h", ".md"}):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for rule in re.findall(rf"(?<![\w-]){_ID}(?![\w-])", line):
                found.setdefault(rule, f"{path.relative_to(root)}:{number}")
    return found


def violations(root):
    """One line for each rule without a test, and for each id that is no rule."""
    stated, cited = rules(root), cited_by_tests(root)
    lines = [f"{PAGE}: no test's name cites {rule}" for rule in sorted(stated - cited.keys())]
    for rule, where in sorted({**mentioned(root), **cited}.items()):
        # A family may be spoken of as a whole: R-IDEM for R-IDEM-1.
        if rule not in stated and not any(other.startswith(f"{rule}-") for other in stated):
            lines.append(f"{where}: {rule} is not a rule of {PAGE}")
    return lines

"""The walls between the rooms: who may include and who may link what.

The table is docs/architecture.md's. Whoever breaks it gets a line that names the place and the wall.
"""

import json
import posixpath
import re

import project

ROOMS = ("engine", "proto", "replay", "sim", "transports", "tools", "tests")

# What each room may use besides itself and the C++ standard library. Abseil comes with the engine and Protobuf with
# proto/; `posix` stands for the system's own headers.
MAY_USE = {
    "engine": {"abseil"},
    "proto": {"protobuf", "grpc"},
    "replay": {"engine", "abseil", "proto", "protobuf", "zstd", "xxhash", "posix"},
    "sim": {"engine", "abseil", "replay", "json"},
    "transports": {
        "engine", "abseil", "proto", "protobuf", "replay", "grpc", "asio", "spdlog", "prometheus", "sqlite",
        "postgres", "redis", "posix",
    },
    "tools": {
        "engine", "abseil", "proto", "protobuf", "replay", "sim", "transports", "grpc", "json", "cli11", "libedit",
        "posix",
    },
}

# A library by how its headers are named and by how its targets are named.
INCLUDES = {
    "abseil": r"absl/",
    "protobuf": r"google/protobuf/",
    "grpc": r"grpc(pp)?/",
    "zstd": r"zstd\.h$",
    "xxhash": r"xxhash\.h$",
    "json": r"nlohmann/",
    "libedit": r"histedit\.h$",
    "cli11": r"CLI/",
    "asio": r"asio(/|\.hpp$)",
    "spdlog": r"(spdlog|fmt)/",
    "prometheus": r"prometheus/",
    "sqlite": r"sqlite3\.h$",
    "postgres": r"libpq-fe\.h$",
    "redis": r"hiredis/",
    "posix": r"(unistd|fcntl|poll|signal|spawn)\.h$|sys/[a-z]+\.h$",
}
LINKS = {
    "abseil": r"absl::",
    "protobuf": r"protobuf::",
    "grpc": r"gRPC::",
    "zstd": r"PkgConfig::zstd$",
    "xxhash": r"PkgConfig::xxhash$",
    "json": r"nlohmann_json::",
    "cli11": r"CLI11::",
    "libedit": r"PkgConfig::libedit$",
    "spdlog": r"(spdlog|fmt)::",
    "prometheus": r"prometheus-cpp::",
    "sqlite": r"SQLite::",
    "postgres": r"PostgreSQL::",
    "redis": r"hiredis::",
    "posix": r"Threads::Threads$",
}
# Linked everywhere: how the project is compiled, no library.
NO_LIBRARY = {"blockx_options", "blockx_whole_program"}

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def _library(name, table):
    return next((library for library, pattern in table.items() if re.match(pattern, name)), None)


def _used_by_include(root, path, bracket, name):
    """The room or library that an #include brings in; `std` for the standard library; None if nothing is known of it."""
    room = re.match(r"blockx/([a-z]+)/", name)
    if room:
        return room.group(1)
    library = _library(name, INCLUDES)
    if library:
        return library
    if bracket == "<":
        return "std" if re.fullmatch(r"[a-z0-9_]+", name) else None
    own_room = path.relative_to(root).parts[0]
    if posixpath.normpath(name).startswith(".."):
        target = (path.parent / name).resolve()
        return target.relative_to(root.resolve()).parts[0] if target.is_relative_to(root.resolve()) else None
    near = (path.parent / name, root / own_room / "src" / name)
    return own_room if any(candidate.is_file() for candidate in near) else None


def include_violations(root):
    """One line for each #include that crosses a wall."""
    violations = []
    for path in project.files(root, MAY_USE, {".h", ".cc"}):
        text = path.read_text(encoding="utf-8")
        room = path.relative_to(root).parts[0]
        for match in _INCLUDE.finditer(text):
            used = _used_by_include(root, path, match.group(1), match.group(2))
            if used in ({"std", room} | MAY_USE[room]):
                continue
            line = text.count("\n", 0, match.start(2)) + 1
            violations.append(
                f"{path.relative_to(root)}:{line}: {room}/ includes {match.group(2)}"
                f" ({used or 'of no known library'}); it may use: {', '.join(sorted(MAY_USE[room]))}")
    return violations


def _bare(item):
    """The target in a link item, without the expressions that say where the link counts."""
    inner = re.fullmatch(r"\$<(?:LINK_ONLY|BUILD_INTERFACE|INSTALL_INTERFACE):(.*)>", item)
    return _bare(inner.group(1)) if inner else item


def _used_by_link(item):
    room = re.fullmatch(r"blockx(?:::|_)([a-z]+)", item)
    if room and room.group(1) in ROOMS:
        return room.group(1)
    return _library(item, LINKS)


def link_violations(targets):
    """One line for each link that crosses a wall. `targets`: as list_targets.cmake writes them."""
    violations = []
    for target in targets:
        room = target["directory"].split("/")[0]
        if room not in MAY_USE:
            continue
        items = {_bare(item) for item in target["links"].split(";") if item}
        for item in sorted(items - NO_LIBRARY):
            used = _used_by_link(item)
            if used not in ({room} | MAY_USE[room]):
                violations.append(
                    f"{target['directory']}/CMakeLists.txt: {target['name']} links {item}"
                    f" ({used or 'no known library'}); {room}/ may use: {', '.join(sorted(MAY_USE[room]))}")
    return violations


def read_targets(file):
    with open(file, encoding="utf-8") as stream:
        return json.load(stream)

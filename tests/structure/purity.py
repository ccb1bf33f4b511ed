"""The engine's object code calls no clock, randomness, I/O, thread, environment or locale.

An allow-list: what is not on it is an impurity until somebody has looked at it and written it down here.
"""

import re
import subprocess

# Demangled names of undefined symbols that the engine may have, each whole.
ALLOWED = [
    # Memory and bytes.
    r"operator (new|delete)(\[\])?\(.*\)",
    r"mem(cpy|move|set|cmp|chr)|bcmp|str(len|n?cmp)",
    # Arithmetic on 128 bits.
    r"__u?(div|mod|divmod|mul)ti[34]",
    # How std::shared_ptr chooses between plain and atomic counting; what it counts is the same.
    r"__libc_single_threaded",
    # Exceptions, unwinding and ends: how a failed allocation or a broken invariant stops the program.
    r"__cxa_\w+|__gxx_personality_v0|_Unwind_Resume|__stack_chk_fail|__dso_handle|abort",
    r"std::terminate\(\)|std::__throw_\w+\(.*\)|std::__glibcxx_assert_fail\(.*\)",
    r"(typeinfo|vtable) for (std|__cxxabiv1)::\w+",
    r"std::(logic_error|runtime_error|length_error|out_of_range|bad_variant_access|exception)::.*",
    # Containers and strings, instantiated in the standard library.
    r"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::.*",
    r"std::allocator<char>::~?allocator\(.*\)",
    r"std::_Rb_tree_\w+\(.*\)",
    r"std::__detail::_\w+::_M_\w+\(.*\)( const)?",
    # Abseil's hash table. Its hash is seeded by an address: it may place, never order (docs/determinism.md).
    r"(absl::debian\d+::container_internal::\w+ )?absl::debian\d+::container_internal::\w+(<.*>)?(\(.*\))?( const)?",
    r"absl::debian\d+::hash_internal::MixingHashState::\w+(\(.*\))?",
    # Brought in by any Abseil header: static initialisation of iostreams, and assert without NDEBUG.
    r"std::ios_base::Init::~?Init\(\)",
    r"__assert_fail",
    r"_GLOBAL_OFFSET_TABLE_",
    # Sanitized builds.
    r"__(asan|ubsan|sanitizer)_\w+",
]
_ALLOWED = re.compile("|".join(f"(?:{pattern})" for pattern in ALLOWED))


def undefined_symbols(readelf, files):
    """Demangled names that the object code needs from elsewhere, each with a file that needs it.

    readelf, not nm: of objects that also hold code for link-time optimisation, nm shows that code's symbols.
    """
    output = subprocess.run(
        [readelf, "--wide", "--symbols", "--demangle", *files], check=True, capture_output=True, text=True).stdout
    where = files[0]
    defined, undefined = set(), {}
    for line in output.splitlines():
        if line.startswith("File: "):
            where = line.removeprefix("File: ")
        symbol = re.fullmatch(r" *\d+: [0-9a-f]+ +\S+ (\w+) +(\w+) +\w+ +(\w+) (.+)", line)
        if not symbol:
            continue
        kind, bind, section, name = symbol.groups()
        if section == "UND":
            undefined.setdefault(name, where.split("/")[-1])
        elif kind not in ("SECTION", "FILE") and bind != "LOCAL":
            defined.add(name)
    return {name: where for name, where in undefined.items() if name not in defined}


def impurities(symbols):
    """One line for each symbol that is not on the list."""
    return [f"{where} uses {name}" for name, where in sorted(symbols.items()) if not _ALLOWED.fullmatch(name)]

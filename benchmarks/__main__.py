"""`python -m benchmarks [NAME…]`: how fast we are against what else there is, as a table of ratios.

A module of this package that has `measure() -> list[Row]` is a benchmark, known by the module's name.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Callable, Sequence

import benchmarks
from benchmarks.table import Row, print_table

Benchmark = Callable[[], list[Row]]


def find_benchmarks() -> dict[str, Benchmark]:
    names = sorted(
        module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__"
    )
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in names}
    return {name: module.measure for name, module in modules.items() if hasattr(module, "measure")}


def main(arguments: Sequence[str] | None = None) -> None:
    found = find_benchmarks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Print how fast we are.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(found)}; all without one")
    names = parser.parse_args(arguments).names
    unknown = [name for name in names if name not in found]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(found)}")
    for name in names or found:
        print_table(name, found[name]())


if __name__ == "__main__":
    main()

"""One word, one default: parameters of one name start at the same values everywhere."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

import spacy_chance_eval

ROOT = Path(spacy_chance_eval.__file__).parent
DEFAULTS = {
    "alpha": {0.05},
    "beta": {1.0},
    "draws": {1000, 500, 1},  # of chance; of the power of a replacement; none, as chance is exact
    "epsilon": {0.2},
    "level": {0.95},
    "n_process": {1},
    "power": {0.8},
    "q": {0.05, 3},  # a false discovery rate; the width of pq-grams
    "resamples": {10_000},
    "seed": {0},
    "timeout": {30},
    "width": {0.02},
}


def functions_of(room):
    """The functions, classes and methods that modules of a room define."""
    for path in sorted((ROOT / room).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        module = import_module(name.removesuffix(".__init__"))
        for one in vars(module).values():
            if getattr(one, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(one):
                yield one
            elif inspect.isclass(one):
                yield from filter(inspect.isfunction, vars(one).values())


@pytest.mark.parametrize("room", ["measures", "scoring", "corpora", "tasks"])
def test_parameters_of_one_name_have_one_default(room):
    for function in functions_of(room):
        for name, parameter in inspect.signature(function).parameters.items():
            default = parameter.default
            if name in DEFAULTS and isinstance(default, (int, float)):
                place = f"{function.__module__}.{function.__qualname__}({name})"
                assert default in DEFAULTS[name], place

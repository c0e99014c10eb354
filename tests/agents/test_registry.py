"""Agents are made by name from settings as forms and records hold them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runner.agents.base import Assignment, Past
from runner.agents.registry import REGISTRY, make_agent
from tests.agents.conftest import KEY

WARMUP_AGENTS = Path(__file__).resolve().parents[2] / "fixtures" / "warmup" / "agents"
MODELS = [name for name in REGISTRY if name != "scripted"]


@pytest.mark.parametrize("name", MODELS)
def test_an_agent_is_made_from_its_own_settings_again(name: str) -> None:
    settings = make_agent(name, {"model": "tiny", "prompt_price": 2}).settings()

    agent = make_agent(name, json.loads(json.dumps(dict(settings))))

    assert (agent.name, agent.settings()) == (name, settings)


@pytest.mark.parametrize("name", REGISTRY)
def test_every_setting_has_an_explanation(name: str) -> None:
    assert all(field.description for field in REGISTRY[name].settings.model_fields.values())
    assert REGISTRY[name].description.endswith(".")


def test_settings_have_kinds_bounds_and_defaults() -> None:
    schema = REGISTRY["reflexion"].settings.model_json_schema()
    settings = schema["properties"]

    assert (settings["model"]["type"], schema["required"]) == ("string", ["model"])
    number = {"type": "number", "minimum": 0, "maximum": 2}
    assert settings["temperature"]["anyOf"] == [number, {"type": "null"}]
    assert settings["temperature"]["default"] == 0.2
    assert (settings["trials"]["type"], settings["trials"]["default"]) == ("integer", 3)


def test_a_forms_texts_become_numbers_and_empty_ones_none() -> None:
    values = {"model": " tiny ", "temperature": "", "max_tokens": "12", "prompt_price": "2.5"}

    settings = make_agent("react", values).settings()

    assert {name: settings[name] for name in values} == {
        "model": "tiny",
        "temperature": None,
        "max_tokens": 12,
        "prompt_price": 2.5,
    }


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({}, "model: is needed"),
        ({"model": ""}, "model: is needed"),
        ({"model": 3}, "model: must be text"),
        ({"model": "m", "colour": 1}, "colour: there is no such setting"),
        ({"model": "m", "max_tokens": "many"}, "max_tokens: must be a whole number"),
        ({"model": "m", "max_tokens": 1.5}, "max_tokens: must be a whole number"),
        ({"model": "m", "max_tokens": True}, "max_tokens: must be a whole number"),
        ({"model": "m", "max_tokens": None}, "max_tokens: must be a whole number"),
        ({"model": "m", "max_tokens": 0}, "max_tokens: must be at least 1"),
        ({"model": "m", "temperature": "hot"}, "temperature: must be a number"),
        ({"model": "m", "temperature": "nan"}, "temperature: must be a number"),
        ({"model": "m", "temperature": 3}, "temperature: must be at most 2"),
        ({"model": "m", "base_url": "ftp://x"}, "base_url: must be an address"),
        ({"model": "m", "base_url": "http://["}, "base_url: must be an address"),
        ({"model": "m", "base_url": "http://me:word@x"}, "base_url: must hold no user"),
    ],
)
def test_a_bad_setting_is_named(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_agent("reflexion", values)


def test_a_key_in_the_wrong_field_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="api_key_variable: must be the name") as caught:
        make_agent("react", {"model": "m", "api_key_variable": KEY})

    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "variable",
    ["DATABASE_URL", "SECRET_KEY", "AWS_SECRET_ACCESS_KEY", "_API_KEY", "MY_API_KEY_FILE", "my_api_key"],
)
def test_only_keys_of_apis_are_ever_sent_to_an_endpoint(variable: str) -> None:
    with pytest.raises(ValueError, match="that ends in _API_KEY"):
        make_agent("react", {"model": "m", "api_key_variable": variable})


def test_an_unknown_agent_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="there is no agent swe; known are react, react-super"):
        make_agent("swe", {})


def test_a_scripted_agent_brings_its_limits_and_does_not_tell_where_it_lies() -> None:
    agent = make_agent("scripted", {"script": str(WARMUP_AGENTS / "scripted-hasty.json")})

    assert agent.limits() == {"prompt_tokens": 9000, "cell_seconds": 18.0}
    assert agent.settings() == {"script": "scripted-hasty.json"}


def test_a_scripted_agent_makes_its_moves_and_then_has_nothing_to_do() -> None:
    agent = make_agent("scripted", {"script": str(WARMUP_AGENTS / "scripted-expert.json")})
    task, history = Assignment("keygrain", "q"), [Past("", "execute", "given", "", pre_executed=True)]

    while not (reply := agent.next(task, history)).done:
        assert reply.action is not None
        history.append(Past(reply.thought, reply.action.kind, reply.action.content, ""))

    assert history[-1].kind == "submit"
    assert agent.next(Assignment("unknown", "q"), []).done


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_a_script_that_is_none_is_refused(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    if content is not None:
        path.write_text(content)

    with pytest.raises(ValueError, match=r"script: .* can't be read as a script"):
        make_agent("scripted", {"script": str(path)})

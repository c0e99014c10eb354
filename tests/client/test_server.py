"""How the client asks: again where that helps, and never elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from leaderboard.client.ending import RefusedByServer, Unreachable
from leaderboard.client.following import wait_until_checked
from leaderboard.client.server import TRIES, Server
from leaderboard.client.site import Site

SITE = Site("http://127.0.0.1:1", "secret")
Answers = list[httpx.Response | Exception]


class Asked(Server):
    """A server that gives these answers, one after another; what is waited and asked is noted."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        super().__init__(SITE)
        self.waited: list[float] = []
        self.requests: list[httpx.Request] = []
        self._answers: Iterator[httpx.Response | Exception] = iter(answers)
        self._http = httpx.Client(
            base_url=SITE.url, headers=self._http.headers, transport=httpx.MockTransport(self._answer)
        )

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def ok() -> httpx.Response:
    return httpx.Response(200, json={"said": "yes"})


def test_it_waits_as_long_as_the_site_asks_for() -> None:
    server = Asked(httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(503), ok())

    assert server.get("/x") == {"said": "yes"}
    assert server.waited == [7.0, 1.0]
    assert {request.headers["Authorization"] for request in server.requests} == {"Bearer secret"}


def test_it_gives_up_in_the_end() -> None:
    server = Asked(*[httpx.ConnectError("no")] * TRIES)
    with pytest.raises(Unreachable, match="does not answer: no"):
        server.get("/x")
    assert server.waited == [0.5, 1, 2, 4, 8]

    with pytest.raises(RefusedByServer) as caught:
        Asked(*[httpx.Response(502)] * TRIES).get("/x")
    assert caught.value.status == 502


def test_it_says_once_that_it_tries_again(capsys: pytest.CaptureFixture[str]) -> None:
    Asked(httpx.ConnectError("no"), httpx.ConnectError("no"), ok()).get("/x")

    assert capsys.readouterr().err.count("trying again") == 1


def test_a_site_that_nobody_named_is_said_to_be_assumed() -> None:
    server = Asked(*[httpx.ConnectError("no")] * TRIES)
    server.site = Site(SITE.url, assumed=True)

    with pytest.raises(Unreachable, match="set SUPERBOARD_URL"):
        server.get("/x")


def test_what_must_not_happen_twice_is_sent_again_only_if_it_reached_nobody() -> None:
    reached = Asked(httpx.ReadTimeout("late"), ok())
    with pytest.raises(Unreachable):
        reached.post("/x", {}, repeatable=False)
    assert len(reached.requests) == 1

    for nobody in (httpx.ConnectError("no"), httpx.Response(429)):
        assert Asked(nobody, ok()).post("/x", {}, repeatable=False).status_code == 200


def test_a_refusal_is_not_asked_again() -> None:
    problem = {"type": "/api/docs#unusable", "detail": "No.", "problems": [{"file": "a", "reason": "b"}]}
    server = Asked(httpx.Response(422, json=problem))
    with pytest.raises(RefusedByServer) as caught:
        server.get("/x")

    assert (caught.value.kind, [str(each) for each in caught.value.problems]) == ("unusable", ["a: b"])
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed_with_the_token() -> None:
    server = Asked(httpx.Response(301, headers={"Location": "https://elsewhere.example/x"}))
    with pytest.raises(RefusedByServer, match="use that address"):
        server.get("/x")

    assert len(server.requests) == 1


def test_an_answer_that_is_no_data_is_none_of_a_superboards() -> None:
    with pytest.raises(Unreachable, match="does not answer as a Superboard does"):
        Asked(httpx.Response(200, text="<html>Sign in to this network</html>")).get("/x")


@pytest.mark.parametrize("body", [b"<html>", b"[]", b""])
def test_an_answer_that_is_none_of_the_apis_is_a_refusal_too(body: bytes) -> None:
    with pytest.raises(RefusedByServer) as caught:
        Asked(httpx.Response(404, content=body)).get("/x")

    assert [str(each) for each in caught.value.problems] == ["the site, 404: 404"]


def test_waiting_for_a_check_says_once_that_no_worker_is_alive(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = {"state": "queued", "progress": {}, "waits_for": "No worker of the site is alive."}
    answers = [waiting, waiting, {**waiting, "state": "checked", "waits_for": "", "parts": []}]
    server = Asked(*(httpx.Response(200, json=answer) for answer in answers))

    wait_until_checked(server, "/api/v1/uploads/1", patience=60)

    printed = "".join(capsys.readouterr())
    assert printed.count("No worker of the site is alive.") == 1

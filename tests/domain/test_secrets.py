"""Secrets are found by their shape; what only looks random is none.

Every key here is made up, and put together when the test runs: no scanner of repositories takes it for one.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string

import pytest

from leaderboard.domain.secrets import MASK, find_secrets, mask

CHANCE = random.Random(20260101)  # noqa: S311 - the same keys in every run


def made(size: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "9a" + "".join(CHANCE.choice(letters) for _ in range(size - 2))


def upper(size: int) -> str:
    return "A7" + "".join(CHANCE.choice(string.ascii_uppercase + "234567") for _ in range(size - 2))


def web_token() -> str:
    parts = ('{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","name":"Alice"}', made(32))
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)


def private_key(kind: str = "RSA ") -> str:
    lines = "\n".join(made(64) for _ in range(6))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


SECRETS = {
    "OpenAI, old": ("sk" + "-" + made(48), "OpenAI API key"),
    "OpenAI, project": ("sk" + "-proj-" + made(60) + "_" + made(40), "OpenAI API key"),
    "OpenRouter": ("sk" + "-or-v1-" + made(64, "0123456789abcdef"), "OpenAI API key"),
    "Anthropic": ("sk" + "-ant-api03-" + made(90) + "-AA", "Anthropic API key"),
    "GitHub, classic": ("gh" + "p_" + made(36), "GitHub token"),
    "GitHub, OAuth": ("gh" + "o_" + made(36), "GitHub token"),
    "GitHub, fine-grained": ("github" + "_pat_" + made(22) + "_" + made(59), "GitHub token"),
    "GitLab": ("gl" + "pat-" + made(20), "GitLab token"),
    "AWS": ("AK" + "IA" + upper(16), "AWS access key"),
    "AWS, temporary": ("AS" + "IA" + upper(16), "AWS access key"),
    "Google": ("AI" + "za" + made(35), "Google API key"),
    "Hugging Face": ("h" + "f_" + made(34), "Hugging Face token"),
    "Slack": ("xo" + "xb-" + "123456789012-" + made(24), "Slack token"),
    "Stripe": ("sk" + "_live_" + made(24), "Stripe key"),
    "PyPI": ("py" + "pi-" + made(160), "PyPI token"),
    "npm": ("np" + "m_" + made(36), "npm token"),
    "JWT": (web_token(), "JSON web token"),
}
AROUND = [
    "{}",
    "export KEY={}\n",
    '{{"key": "{}"}}',
    "key: '{}'",
    "curl -H 'X-Key: {}' x",
    "({})",
    "\x1b[32m{}\x1b[0m",
    "a line\\n{}\\n",
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", SECRETS)
def test_a_key_of_a_known_shape_is_found_exactly(name: str, around: str) -> None:
    key, kind = SECRETS[name]
    text = around.format(key)

    assert [(found.kind, text[found.start : found.end]) for found in find_secrets(text)] == [(kind, key)]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_found_with_all_its_lines(kind: str) -> None:
    key = private_key(kind)

    assert find_secrets(f"cat key\n{key}\n")[0].kind == "private key"
    assert made(64)[:8] not in mask(key)
    assert mask(key).count("\n") == key.count("\n")


@pytest.mark.parametrize("option", ["", "--relogin "])
def test_what_a_tool_signs_in_with_is_found(option: str) -> None:
    key = hashlib.sha1(b"made up", usedforsecurity=False).hexdigest()

    found = find_secrets(f"!wandb login {option}{key}\ncommit {key}")

    assert [(secret.kind, secret.end - secret.start) for secret in found] == [
        ("Weights & Biases API key", 40)
    ]


@pytest.mark.parametrize(
    "before",
    [
        "password=", "PASSWORD: ", 'db_password = "', "token: ", "WANDB_API_KEY=", "api-key: ", "'apikey': '",
        "aws_secret_access_key = ", "client_secret=", "AccountKey=", "Authorization: Bearer ",
        "authorization: Basic ",
        "-H 'Authorization: bearer ", "https://alice:",
    ],
)  # fmt: skip
def test_what_is_assigned_to_a_word_for_secrets_is_found(before: str) -> None:
    value = made(32)
    after = "@example.org/repository" if before.startswith("https") else "\n"

    found = find_secrets(f"x {before}{value}{after}")

    assert [secret.end - secret.start for secret in found] == [len(value)]


IN_ADDRESSES = [
    "https://example.org/x?token={}",
    "[the run](https://example.org/x?page=2&access_token={}&y=1)",
    "https://example.org/x#id_token={}",
    "https://example.org/x?redirect=https%3A%2F%2Fexample.org%2F%3Ftoken%3D{}%26page%3D2",
    "https://example.org/x?to=https%253A%252F%252Fexample.org%252F%253Ftoken%253D{}",
    "https://example.org/x?api%5Fkey={}",
    "https://example.org/x?pwd={}",
    "https://alice:{}@example.org/repository.git",
    "redis://:{}@example.org:6379/0",
    "git clone https://{}@example.org/repository.git",
    "https://{}:x-oauth-basic@example.org/repository.git",
]


@pytest.mark.parametrize("address", IN_ADDRESSES)
def test_a_token_in_an_address_is_found_exactly(address: str) -> None:
    token = made(24)
    text = f"see {address.format(token)} for more"

    assert [text[found.start : found.end] for found in find_secrets(text)] == [token]


def test_the_address_of_a_webhook_is_found() -> None:
    secret = f"T0123ABCD/B0123ABCD/{made(24)}"

    assert mask(f"curl https://hooks.slack.com/services/{secret}") == (
        f"curl https://hooks.slack.com/services/{MASK * len(secret)}"
    )


def test_a_key_that_is_percent_encoded_is_masked_with_all_its_characters() -> None:
    key = SECRETS["GitHub, classic"][0]
    encoded = "".join(f"%{ord(sign):02X}" for sign in key)

    assert mask(f"https://example.org/{encoded}/x") == f"https://example.org/{MASK * len(encoded)}/x"
    assert mask("https://example.org/?token=a1b2-c3d4e") == f"https://example.org/?token={MASK * 10}"


HARMLESS = {
    "an article's link": "https://www.sciencedirect.com/a/S1?casa_token=9VJi9ZHbwDYAAAAA%3AVgmUTd3TN7q9-YTvoXyTO4gb1",
    "shared articles": "https://x.org/a.pdf?author_access_token=k2Jd83hsK0aLq9 https://x.org/b?sharing_token=Z8k2Jd83hsK0aL",
    "a place in a list": "https://x.org/list?page_token=CAUQAA9x8k2Jd83hsK&next_token=Z8k2Jd83hsK0aLq9",
    "a shared folder": "https://onedrive.live.com/download?cid=8A5&resid=8A5%21107&authkey=AJTsPbG7x2k9QaYbR4",
    "an encoded address": "https://x.org/?q=a%20b%3Dc%26d&sha=3f786850e387550fdab836ed7e6dc881de23001b",
    "parameters": "https://x.org/?tokenizer=bert-base-2&key=summary_1&token=true&auth=oauth2&pass=1",
    "a commit": "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "a digest": f"sha256:{hashlib.sha256(b'x').hexdigest()}",
    "a requirement's digest": f"numpy==1.0 --hash=sha256:{hashlib.sha256(b'y').hexdigest()}",
    "an image": f"data:image/png;base64,{base64.b64encode(CHANCE.randbytes(3000)).decode()}",
    "a line of a notebook's image": f'"image/png": "{base64.b64encode(CHANCE.randbytes(600)).decode()}"',
    "an identifier": "id=550e8400-e29b-41d4-a716-446655440000",
    "a count": "num_tokens: 123456789012, max_token=4096, tokens=128000",
    "a special token": "eos_token='<|endoftext|>', pad_token: [PAD], bos_token=</s>",
    "code": "token=tokenizer.encode(text), password=getpass.getpass(), api_key=os.environ['MY_API_KEY']",
    "a variable": "api_key=${OPENAI_API_KEY} password=$DB_PASSWORD_2 https://${USER}:${TOKEN_1}@example.org",
    "an argument": "--use_auth_token=True --token=None hf_token=args.hf_token2",
    "a placeholder": "api_key=your_api_key_here sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx password=xxxxxxxx1234",
    "an example": "AKIA" + "IOSFODNN7EXAMPLE",
    "a word": "risk-assessment-of-the-2nd-kind task-1234567890123456789012345678901234 ask-me",
    "a masked key": "sk-********************************",
    "an address": "https://example.org:8080/a@b postgres://user:password@host:5432/db",
    "a model's file": "hf_hub_download tokenizer_config.json: 100%|####| token=True",
    "a rule": "=" * 500 + ":" + "-" * 500,
    "a version": "secret: v1.2.3, credentials: none",
    "a package": "pypi-simple npm_config_cache ghp_import glpat",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_is_no_secret_is_not_found(text: str) -> None:
    assert [text[found.start : found.end] for found in find_secrets(text)] == []


def test_masking_keeps_lengths_and_everything_else() -> None:
    key = SECRETS["GitHub, classic"][0]

    assert mask(f"before {key} after") == f"before {MASK * len(key)} after"


def test_secrets_do_not_overlap() -> None:
    key = SECRETS["OpenAI, old"][0]

    assert len(find_secrets(f"OPENAI_API_KEY={key}")) == 1


BEGINNINGS = [
    "sk-", "sk-ant-", "eyJ", "eyJaaaaaaaaaaaa.", "=-", "://a:", "a=", "-----BEGIN PRIVATE KEY-----",
    "token: ", "A", "Authorization: Bearer ", "xoxb-", "?token=", "%3Ftoken%3D", "%25", "%41 ", "&a",
]  # fmt: skip


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_half_a_megabyte_of_beginnings_does_not_hide_a_key(beginning: str) -> None:
    key = SECRETS["GitHub, classic"][0]

    found = find_secrets(beginning * (500_000 // len(beginning)) + "\n" + key)

    assert "GitHub token" in {secret.kind for secret in found}

"""The forms of account pages. What services refuse stands beside the field it is about."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from allauth.account.forms import LoginForm
from django import forms
from django.utils import timezone
from django.utils.text import capfirst

from leaderboard.core.labels import ROLES, SCOPES
from leaderboard.core.permissions import grantable_scopes
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputError
from leaderboard.models import ApiToken, Membership, Team

if TYPE_CHECKING:
    from datetime import datetime

    from django.contrib.auth.models import User


LIFETIMES = {"30": "30 days", "90": "90 days", "365": "a year", "": "until it is revoked"}


class SignInForm(LoginForm):  # type: ignore[misc]
    """allauth's, with a label that says what may be given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "E-mail address or name"


def refusal(error: InputError) -> str:
    """Why something was refused and what to do, as a sentence."""
    problem = error.problem
    return capfirst(f"{problem.reason}: {problem.remedy}." if problem.remedy else f"{problem.reason}.")


def add_refusal(form: forms.Form, error: InputError) -> None:
    """Put a refusal beside the field it is about, or above the form."""
    place = error.problem.place
    form.add_error(place if place in form.fields else None, refusal(error))


class TeamForm(forms.Form):
    """A team's name."""

    name = forms.CharField(label="Name", max_length=Team.NAME_LENGTH)


class InvitationForm(forms.Form):
    """Whom to invite, as what."""

    email = forms.EmailField(label="E-mail address")
    role = forms.ChoiceField(label="Role", choices=list(ROLES.items()), initial=Membership.Role.MEMBER)


class TokenForm(forms.Form):
    """A token's name, what it allows, and for how long."""

    name = forms.CharField(
        label="Name",
        max_length=ApiToken.NAME_LENGTH,
        help_text="What you will know it by: the machine or the project that uses it.",
    )
    scopes = forms.MultipleChoiceField(label="It allows", widget=forms.CheckboxSelectMultiple)
    lifetime = forms.ChoiceField(
        label="It works for", choices=list(LIFETIMES.items()), required=False, initial="90"
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes = grantable_scopes(user)
        self.fields["scopes"].choices = [(scope.value, SCOPES[scope]) for scope in scopes]  # type: ignore[attr-defined]
        self.initial.setdefault("scopes", [Scope.SUBMIT.value])

    @property
    def expires(self) -> datetime | None:
        days = self.cleaned_data["lifetime"]
        return timezone.now() + timedelta(days=int(days)) if days else None


class DeleteAccountForm(forms.Form):
    """The password of whoever wants their account deleted, or their name where they have no password."""

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if user.has_usable_password():
            self.fields["password"] = forms.CharField(
                label="Your password",
                strip=False,
                widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
            )
        else:
            self.fields["username"] = forms.CharField(label="Your name, as it stands above")

    def clean_password(self) -> None:
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")

    def clean_username(self) -> None:
        if self.cleaned_data["username"] != self.user.get_username():
            raise forms.ValidationError("This is not your name.")

"""The forms of account pages. An error from a service is shown beside the field that it is about."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from allauth.account.forms import LoginForm
from django import forms
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.text import capfirst

from leaderboard.core.labels import ROLES, SCOPES
from leaderboard.core.permissions import grantable_scopes
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputError
from leaderboard.models import ApiToken, Membership, Team

LIFETIMES = {"30": "30 days", "90": "90 days", "365": "a year", "": "until it is revoked"}


class SignInForm(LoginForm):  # type: ignore[misc]
    """allauth's form, with a label that names both ways to sign in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "E-mail address or name"


def input_error_text(error: InputError) -> str:
    """The reason of an error and what to do, as a sentence."""
    problem = error.problem
    return capfirst(f"{problem.reason}: {problem.remedy}." if problem.remedy else f"{problem.reason}.")


def add_input_error(form: forms.Form, error: InputError) -> None:
    """Show an error beside the field that it is about, or above the form."""
    place = error.problem.place
    form.add_error(place if place in form.fields else None, input_error_text(error))


class TeamForm(forms.Form):
    name = forms.CharField(label="Name", max_length=Team.NAME_LENGTH)


class InvitationForm(forms.Form):
    email = forms.EmailField(label="E-mail address")
    role = forms.ChoiceField(label="Role", choices=list(ROLES.items()), initial=Membership.Role.MEMBER)


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=ApiToken.NAME_LENGTH,
        help_text="For example the machine or the project that uses it.",
    )
    scopes = forms.MultipleChoiceField(label="It allows", widget=forms.CheckboxSelectMultiple)
    lifetime = forms.ChoiceField(
        label="Lifetime", choices=list(LIFETIMES.items()), required=False, initial="90"
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
    """The user's password as a confirmation, or the user's name if there is no password."""

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
            self.fields["username"] = forms.CharField(label="Your user name, as shown above")

    def clean_password(self) -> None:
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")

    def clean_username(self) -> None:
        if self.cleaned_data["username"] != self.user.get_username():
            raise forms.ValidationError("This is not your user name.")

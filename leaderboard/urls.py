"""Addresses of pages. They are shared and cited: a change needs a redirect from the old one."""

from __future__ import annotations

from django.urls import include, path, re_path

from leaderboard.api.reference import nothing_here, reference
from leaderboard.api.site import api
from leaderboard.views import about, attempts, boards, entries, operate, runs, sending, uploads

urlpatterns = [
    path("", boards.board, name="home"),
    path("b/<slug:benchmark>/<slug:task_set>/", boards.board, name="board"),
    re_path(
        r"^b/(?P<benchmark>[-\w]+)/(?P<task_set>[-\w]+)/data\.(?P<shape>json|csv)$",
        boards.board_data,
        name="board-data",
    ),
    path("b/<slug:benchmark>/<slug:task_set>/charts.json", boards.board_charts, name="board-charts"),
    path("b/<slug:benchmark>/<slug:task_set>/t/", boards.tasks, name="tasks"),
    path("b/<slug:benchmark>/<slug:task_set>/t/<str:task_id>/", boards.task, name="task"),
    path("e/<slug:slug>/", entries.entry, name="entry"),
    path("e/<slug:slug>/versions/", entries.versions, name="versions"),
    path("e/<slug:slug>/edit/", entries.edit, name="edit-entry"),
    path("e/<slug:slug>/act/", entries.act, name="act-on-entry"),
    path("a/<int:pk>/", attempts.attempt, name="attempt"),
    path("a/<int:pk>/find/", attempts.find, name="find"),
    path("a/<int:pk>/<int:step>/<slug:part>/<int:number>/", attempts.output, name="output"),
    path("a/<int:pk>/download/<slug:kind>/", attempts.download, name="download"),
    path("a/<int:pk>/download/output/<int:step>/", attempts.download_output, name="download-output"),
    path("api/docs", reference, name="api-reference"),
    path("api/v1/", api.urls),
    re_path(r"^api/v1/.*", nothing_here),
    path("about/", about.about, name="about"),
    path("submit/", sending.submit, name="submit"),
    path("submit/<uuid:pk>/", uploads.upload, name="upload"),
    path("submit/<uuid:pk>/bytes/", sending.receive, name="upload-bytes"),
    path("submit/<uuid:pk>/report.json", uploads.report, name="upload-report"),
    path("submit/<uuid:pk>/act/", uploads.act, name="act-on-upload"),
    path("operate/", operate.queue, name="operate"),
    path("operate/audit/", operate.audit, name="audit"),
    path("operate/re-score/", operate.rescore, name="ask-for-re-score"),
    path("operate/merge/", operate.merge, name="merge-agents"),
    path("runs/", runs.runs, name="runs"),
    path("runs/new/", runs.new_run, name="new-run"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/act/", runs.act, name="act-on-run"),
    path("runs/<int:pk>/<int:unit>/", runs.unit, name="unit"),
    path("account/", include("leaderboard.account_urls")),
]

handler429 = "leaderboard.views.accounts.too_many_attempts"
"""Where django-allauth looks for what to answer where something was asked for too often."""

"""Addresses of `superboard view`; an attempt's are named as on the site, so that templates are shared."""

from __future__ import annotations

from django.urls import path

from leaderboard.viewing import downloads, views

urlpatterns = [
    path("", views.home, name="home"),
    path("search/", views.search, name="search"),
    path("a/<int:pk>/", views.attempt, name="attempt"),
    path("a/<int:pk>/state/", views.state, name="state"),
    path("a/<int:pk>/find/", views.find, name="find"),
    path("a/<int:pk>/<int:step>/<slug:part>/<int:number>/", views.output, name="output"),
    path("a/<int:pk>/<int:step>/<slug:part>/", views.line, name="line"),
    path("a/<int:pk>/<int:step>/<slug:part>.txt", downloads.text, name="text"),
    path("a/<int:pk>/<int:step>.md", downloads.step_markdown, name="step-markdown"),
    path("a/<int:pk>/media/<int:step>/<int:number>/", downloads.media, name="media"),
    path("a/<int:pk>/download/<slug:kind>/", downloads.download, name="download"),
    path("static/<path:name>", downloads.static, name="static"),
]

handler404 = views.not_found

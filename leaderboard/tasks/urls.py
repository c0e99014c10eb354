"""Addresses of a set's tasks."""

from __future__ import annotations

from django.urls import path

from leaderboard.tasks import views

urlpatterns = [
    path("b/<slug:benchmark>/<slug:task_set>/t/", views.tasks, name="tasks"),
    path("b/<slug:benchmark>/<slug:task_set>/failures/", views.failures, name="failures"),
    path("b/<slug:benchmark>/<slug:task_set>/t/<str:task_id>/", views.task, name="task"),
    path("b/<slug:benchmark>/<slug:task_set>/t/<str:task_id>/parting/", views.parting, name="task-parting"),
]

"""The Celery worker: tasks, jobs, heartbeat, maintenance. It alone knows both the site and the execution."""

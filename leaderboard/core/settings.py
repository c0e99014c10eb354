"""All settings. docs/settings.md describes those that environment variables can change."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from leaderboard.core import content_policy
from leaderboard.core.environment import Environment, stored_secret
from leaderboard.core.private_files import PRIVATE_FILE, PRIVATE_FOLDER, keep_private, sqlite_files
from leaderboard.core.sign_in_providers import sign_in_origins, sign_in_providers

env = Environment(os.environ)

BASE_DIR = Path(__file__).resolve().parents[2]
VAR = env.path("SUPERBOARD_VAR", default=BASE_DIR / "var")
# Before anything is created below: every process of the site loads the settings first.
keep_private([VAR])
VAR.mkdir(parents=True, exist_ok=True)

# Hosts. The site is only local until ALLOWED_HOSTS is set.
PORT = env.whole_number("PORT", default=8000)
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
DEBUG = env.flag("DEBUG", default=False)
ALLOWED_HOSTS = env.comma_separated("ALLOWED_HOSTS", default=LOCAL_HOSTS)
LOCAL = set(ALLOWED_HOSTS) <= set(LOCAL_HOSTS)
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")

if env.is_set("SECRET_KEY") or not (LOCAL or DEBUG):
    SECRET_KEY = env.required(
        "SECRET_KEY",
        because="a site that is not local (see ALLOWED_HOSTS) needs a key of its own",
        example="\"$(python3 -c 'import secrets; print(secrets.token_urlsafe(50))')\"",
    )
else:
    SECRET_KEY = stored_secret(VAR / "secret-key")

# Security beyond Django's defaults; one variable turns on all of HTTPS.
HTTPS = env.flag("SUPERBOARD_HTTPS", default=not (LOCAL or DEBUG))
SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = env.whole_number("SUPERBOARD_HSTS_SECONDS", default=3600, at_least=0) if HTTPS else 0
if env.flag("SUPERBOARD_BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Sign-in attempts are counted by the last forwarded address, from the proxy; the others can be forged.
    ALLAUTH_TRUSTED_PROXY_COUNT = 1
SOCIALACCOUNT_PROVIDERS = sign_in_providers(env)
SECURE_REFERRER_POLICY = "same-origin"
PERMISSIONS_POLICY = content_policy.PERMISSIONS
# Whom to tell of a security problem: a mail address or a page, in /.well-known/security.txt.
SUPERBOARD_SECURITY_CONTACT = env.text("SUPERBOARD_SECURITY_CONTACT", default="")
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        **content_policy.DIRECTIVES,
        # Chromium also applies this to redirects after a form is sent.
        "form-action": [content_policy.SELF, *sign_in_origins(SOCIALACCOUNT_PROVIDERS)],
    }
}

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    # Before staticfiles: `runserver` then serves static files the way the real server does.
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "template_partials",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "leaderboard",
    "runner",
]
MIDDLEWARE = [
    "leaderboard.core.middleware.RefusedEncodings",
    "leaderboard.core.middleware.PrivateResponses",
    "leaderboard.core.middleware.PermissionsPolicy",
    "leaderboard.core.endpoints.middleware.ApiMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.core.kept_pages.KeptPages",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "csp.middleware.CSPMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    # The last one, so that its answers have the headers of all the others. None of them reads a body.
    "leaderboard.core.middleware.BodyLimit",
]
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"

# Django's default loaders keep compiled templates in memory unless DEBUG.
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# A transaction takes SQLite's write lock when it begins: others wait then, and do not fail half-way.
DATABASES = {
    "default": env.database(
        "DATABASE_URL",
        default=f"sqlite:///{VAR / 'db.sqlite3'}",
        sqlite_options={
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
        },
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# All processes share the default cache, because it counts sign-in attempts. Without Redis, each process
# counts API requests separately: writing a row for each request would cost more than answering it.
IN_TABLE = "django.core.cache.backends.db.DatabaseCache"
IN_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
# With Django's default of 300 entries, many callers would evict each other's counts.
ROOM = {"MAX_ENTRIES": 100_000}
CACHES = {
    "default": env.cache(
        "CACHE_URL", default={"BACKEND": IN_TABLE, "LOCATION": "superboard_cache", "OPTIONS": ROOM}
    ),
    "requests": env.cache("CACHE_URL", default={"BACKEND": IN_MEMORY, "OPTIONS": ROOM}),
}

# Outgoing mail: printed unless there is a mail server. The timeout is short, because requests wait for it.
mail = env.mail("EMAIL_URL")
EMAIL_BACKEND, EMAIL_FILE_PATH = mail.backend, mail.file
EMAIL_HOST, EMAIL_PORT = mail.host, mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = mail.user, mail.password
EMAIL_USE_SSL, EMAIL_USE_TLS = mail.tls, mail.starttls
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text(
    "DEFAULT_FROM_EMAIL", default=f"superboard@{ALLOWED_HOSTS[0].lstrip('*.') or 'localhost'}"
)

MEDIA_ROOT = VAR / "media"
# The site's own address, for links that leave it: `leaderboard.core.addresses` makes them.
SUPERBOARD_URL = env.site(
    "SUPERBOARD_URL",
    default=f"{'https' if HTTPS else 'http'}://{ALLOWED_HOSTS[0].lstrip('*.') or 'localhost'}"
    + (f":{PORT}" if LOCAL and not HTTPS else ""),
)
# Uploaded files until they are deleted: all web and worker processes share them; no other user may read them.
SUPERBOARD_UPLOADS = env.path("SUPERBOARD_UPLOADS", default=VAR / "uploads")
FILE_UPLOAD_PERMISSIONS = PRIVATE_FILE
FILE_UPLOAD_DIRECTORY_PERMISSIONS = PRIVATE_FOLDER
# What may lie outside of VAR.
keep_private([SUPERBOARD_UPLOADS, *sqlite_files(DATABASES["default"]), Path(EMAIL_FILE_PATH or os.devnull)])
STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "leaderboard.core.staticfiles.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# Celery. A message only wakes a worker, so the file system is good enough as a broker on one machine.
BROKER_FOLDER = VAR / "broker"
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", default="filesystem://localhost/")
if CELERY_BROKER_URL.startswith("filesystem:"):
    BROKER_FOLDER.mkdir(exist_ok=True)
    CELERY_BROKER_TRANSPORT = "leaderboard.core.file_broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "folder": str(BROKER_FOLDER),
        # Seconds between polls of an empty folder: kombu's default of 1 s is most of the wait after a click.
        "polling_interval": 0.1,
    }
# Threads for mails and re-scoring; runs and checks only wake the worker's slots (runner.worker.slots).
# Not processes: a fork of a process with threads can hang for ever in a lock that a thread held.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = 2
SUPERBOARD_RUN_SLOTS = env.whole_number("SUPERBOARD_RUN_SLOTS", default=2)
SUPERBOARD_CHECK_SLOTS = env.whole_number("SUPERBOARD_CHECK_SLOTS", default=2)
CORES = os.cpu_count() or 1
SUPERBOARD_CHECK_PROCESSES = env.whole_number("SUPERBOARD_CHECK_PROCESSES", default=min(CORES, 4))
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

LOG_LEVEL = env.choice(
    "SUPERBOARD_LOG_LEVEL", default="INFO", choices=("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # Django's own handlers would log twice, or mail to nobody.
    "loggers": {
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        # It warns of each request that waits for a thread.
        "waitress.queue": {"level": "ERROR"},
    },
}

# The runner. Each heartbeat of a worker extends its lease; after the lease, another worker claims the job.
# A lease lasts long enough that one heartbeat may be late or lost.
RUNNER_LEASE_SECONDS = env.whole_number("RUNNER_LEASE_SECONDS", default=60, at_least=3)
RUNNER_HEARTBEAT_SECONDS = env.whole_number("RUNNER_HEARTBEAT_SECONDS", default=10)
if RUNNER_HEARTBEAT_SECONDS * 3 > RUNNER_LEASE_SECONDS:
    raise ImproperlyConfigured(
        f"RUNNER_HEARTBEAT_SECONDS is {RUNNER_HEARTBEAT_SECONDS}, and RUNNER_LEASE_SECONDS is "
        f"{RUNNER_LEASE_SECONDS}, less than 3 times as much. Set either, for example: "
        f"RUNNER_LEASE_SECONDS={RUNNER_HEARTBEAT_SECONDS * 3}"
    )
RUNNER_SWEEP_SECONDS = env.whole_number("RUNNER_SWEEP_SECONDS", default=10)
RUNNER_MIN_FREE_DISK_MB = env.whole_number("RUNNER_MIN_FREE_DISK_MB", default=2048, at_least=0)
RUNNER_MIN_FREE_MEMORY_MB = env.whole_number("RUNNER_MIN_FREE_MEMORY_MB", default=512, at_least=0)
RUNNER_MAX_OUTPUT_MB = env.whole_number("RUNNER_MAX_OUTPUT_MB", default=100)
RUNNER_MAX_OUTPUTS_MB = env.whole_number("RUNNER_MAX_OUTPUTS_MB", default=1000)
RUNNER_LOCAL_FOR_ALL = env.flag("RUNNER_LOCAL_FOR_ALL", default=False)
RUNNER_DOCKER_IMAGE = env.text("RUNNER_DOCKER_IMAGE", default="superboard-sandbox")
RUNNER_DOCKER_NETWORK = env.text("RUNNER_DOCKER_NETWORK", default="bridge")
RUNNER_DOCKER_NETWORKS = env.pairs("RUNNER_DOCKER_NETWORKS", example="BENCHMARK/SET=NETWORK")
RUNNER_DOCKER_ADDRESS = env.text("RUNNER_DOCKER_ADDRESS", default="")
RUNNER_DOCKER_PUBLISH_ON = env.text("RUNNER_DOCKER_PUBLISH_ON", default="127.0.0.1")
RUNNER_DOCKER_MEMORY_MB = env.whole_number("RUNNER_DOCKER_MEMORY_MB", default=4096, at_least=256)

# Accounts. E-mail addresses have to be confirmed; users without a password sign in with a provider.
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_ADAPTER = "leaderboard.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_USERNAME_VALIDATORS = "leaderboard.accounts.adapter.username_validators"
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# Only in the browser that signed up.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_FORMS = {"login": "leaderboard.accounts.forms.SignInForm"}
ACCOUNT_REAUTHENTICATION_METHODS = {"password"}
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"

# The web server: its limits are for each of its processes.
WEB_CONCURRENCY = env.whole_number("WEB_CONCURRENCY", default=2)
SUPERBOARD_MAX_CONNECTIONS = env.whole_number("SUPERBOARD_MAX_CONNECTIONS", default=2000, at_least=10)
SUPERBOARD_MAX_HELD_MB = env.whole_number("SUPERBOARD_MAX_HELD_MB", default=1024)
# Pages kept ready for readers without an account, for all web processes of the machine together.
SUPERBOARD_PAGE_CACHE_MB = env.whole_number("SUPERBOARD_PAGE_CACHE_MB", default=256, at_least=0)

# Limits; an error message about a limit names the variable.
SUPERBOARD_MAX_REQUEST_MB = env.whole_number("SUPERBOARD_MAX_REQUEST_MB", default=64, at_least=16)
SUPERBOARD_MAX_TRAJECTORY_MB = env.whole_number("SUPERBOARD_MAX_TRAJECTORY_MB", default=100)
SUPERBOARD_MAX_UPLOAD_MB = env.whole_number("SUPERBOARD_MAX_UPLOAD_MB", default=2048)
SUPERBOARD_MAX_UPLOAD_FILES = env.whole_number("SUPERBOARD_MAX_UPLOAD_FILES", default=20_000)
SUPERBOARD_MAX_UPLOAD_UNPACKED_MB = env.whole_number("SUPERBOARD_MAX_UPLOAD_UNPACKED_MB", default=8192)
SUPERBOARD_MAX_UPLOAD_FILE_MB = env.whole_number("SUPERBOARD_MAX_UPLOAD_FILE_MB", default=1024)
SUPERBOARD_MAX_UPLOAD_RATIO = env.whole_number("SUPERBOARD_MAX_UPLOAD_RATIO", default=250, at_least=10)
SUPERBOARD_MAX_UPLOAD_DEPTH = env.whole_number("SUPERBOARD_MAX_UPLOAD_DEPTH", default=32, at_least=2)
SUPERBOARD_MAX_UPLOAD_ATTEMPTS = env.whole_number("SUPERBOARD_MAX_UPLOAD_ATTEMPTS", default=5000)
SUPERBOARD_MAX_CHECK_SECONDS = env.whole_number("SUPERBOARD_MAX_CHECK_SECONDS", default=1800)
SUPERBOARD_MAX_FILE_SECONDS = env.whole_number("SUPERBOARD_MAX_FILE_SECONDS", default=120)
SUPERBOARD_MAX_FILE_MEMORY_MB = env.whole_number("SUPERBOARD_MAX_FILE_MEMORY_MB", default=500, at_least=200)
SUPERBOARD_OPEN_UPLOADS_PER_TEAM = env.whole_number("SUPERBOARD_OPEN_UPLOADS_PER_TEAM", default=20)
SUPERBOARD_UPLOAD_MB_PER_DAY = env.whole_number("SUPERBOARD_UPLOAD_MB_PER_DAY", default=10_240)
SUPERBOARD_PUBLICATIONS_PER_DAY = env.whole_number("SUPERBOARD_PUBLICATIONS_PER_DAY", default=20)
SUPERBOARD_GOLD_CHECKS_PER_DAY = env.whole_number("SUPERBOARD_GOLD_CHECKS_PER_DAY", default=20)
SUPERBOARD_ADMIT_TEAMS = env.flag("SUPERBOARD_ADMIT_TEAMS", default=False)
SUPERBOARD_MIN_FREE_DISK_MB = env.whole_number("SUPERBOARD_MIN_FREE_DISK_MB", default=1024, at_least=0)
SUPERBOARD_ABANDONED_UPLOAD_DAYS = env.whole_number("SUPERBOARD_ABANDONED_UPLOAD_DAYS", default=7)
SUPERBOARD_MAX_ARCHIVE_MB = env.whole_number("SUPERBOARD_MAX_ARCHIVE_MB", default=512)
SUPERBOARD_PAGE_SIZE = env.whole_number("SUPERBOARD_PAGE_SIZE", default=25)
SUPERBOARD_TIER_ENTRIES = env.whole_number("SUPERBOARD_TIER_ENTRIES", default=25)
SUPERBOARD_MAX_TEAMS = env.whole_number("SUPERBOARD_MAX_TEAMS", default=20)
SUPERBOARD_INVITATIONS_A_DAY = env.whole_number("SUPERBOARD_INVITATIONS_A_DAY", default=20)
SUPERBOARD_MAX_TOKENS = env.whole_number("SUPERBOARD_MAX_TOKENS", default=50)
SUPERBOARD_API_RATE = env.whole_number("SUPERBOARD_API_RATE", default=600)
SUPERBOARD_API_RATE_ANONYMOUS = env.whole_number("SUPERBOARD_API_RATE_ANONYMOUS", default=120)

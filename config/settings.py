"""The one settings module: everything comes from the environment."""

import os
import secrets
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / "var"))).resolve()

# Two shapes of one program. Both URLs empty: embedded, one process. The two go together: an
# in-memory channel layer can't hear a second process.
REDIS_URL = env.text("REDIS_URL")
EMBEDDED = not REDIS_URL
DEBUG = env.boolean("DEBUG", default=False)


def _own_key() -> str:
    """Return the key that the embedded shape made on its first start."""
    path = DATA_DIR / "secret_key"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    return path.read_text(encoding="ascii")


SECRET_KEY = env.secret("SECRET_KEY") or (_own_key() if EMBEDDED else "")

HOST = env.text("HOST", "127.0.0.1")
PORT = env.integer("PORT", 8000, most=65535)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("127.0.0.1", "localhost", "[::1]"))
ALLOWED_ORIGINS = env.words("ALLOWED_ORIGINS")
"""Full origins (scheme, host, port) of pages that may open a socket; empty: the page's own host."""
CSRF_TRUSTED_ORIGINS = ALLOWED_ORIGINS

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "channels",
    "csp",
    "rest_framework",
    "planmode.access",
    "planmode",
    "reviews",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.static.StaticFiles",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# SQLite: IMMEDIATE takes the write lock at BEGIN. Django drops select_for_update there without a
# word, so this is what makes "one transaction on one locked session" true on both databases.
# synchronous=FULL: a decision that was answered survives a power cut.
DATABASES = {
    "default": env.database(
        "DATABASE_URL",
        embedded={
            "ENGINE": "config.sqlite",
            "NAME": DATA_DIR / "planmode.sqlite3",
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 10,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            },
            # A file, so that threads of one test see one database.
            "TEST": {"NAME": DATA_DIR / f"test-{os.getpid()}.sqlite3"},
        },
    ),
}
DATABASES["default"]["CONN_MAX_AGE"] = 0
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["reviews.logins.PreferencesBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "queue"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.boolean("SECURE_COOKIES", default=not EMBEDDED)
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# TLS ends in a proxy before us: redirects and HSTS are its business.
SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008"]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]  # a language is offered once its catalogue is there
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
WHITENOISE_USE_FINDERS = True  # a checkout serves its own files: nothing to collect first

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "planmode.access.authentication.BearerAuthentication",
        "planmode.access.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["config.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "config.problems.problem_response",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    if EMBEDDED
    else {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL]},
    },
}

# Celery carries wake-ups only: the row is the queue (docs/architecture.md).
CELERY_BROKER_URL = REDIS_URL or "memory://localhost//"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"polling_interval": 0.01}
    if EMBEDDED
    else {"socket_connect_timeout": 0.5, "socket_timeout": 5, "visibility_timeout": 3600}
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not EMBEDDED
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

LEASE_S = env.integer("LEASE_S", 30, least=1)
SWEEP_S = env.integer("SWEEP_S", 10, least=1)
SLICE_S = env.integer("SLICE_S", 30, least=1)
CELERY_BEAT_SCHEDULE = {
    "requeue": {"task": "planmode.tasks.requeue_due_turns", "schedule": float(SWEEP_S)},
    "schedules": {"task": "planmode.tasks.wake_due_schedules", "schedule": float(SWEEP_S)},
    "expiry": {"task": "reviews.tasks.expire_reviews", "schedule": float(SWEEP_S)},
    "deadlines": {"task": "reviews.tasks.tell_of_deadlines", "schedule": 60.0},
    "notices": {"task": "reviews.tasks.send_notices", "schedule": float(SWEEP_S)},
    "background": {"task": "planmode.tasks.look_at_background_tasks", "schedule": float(SWEEP_S)},
}

# How people are told by e-mail; without a host nobody is.
EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_SECURITY = env.choice("EMAIL_SECURITY", ("starttls", "tls", "none"))
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "starttls", EMAIL_SECURITY == "tls"
EMAIL_PORT = env.integer("EMAIL_PORT", 587, least=1, most=65535)
EMAIL_HOST_USER = env.text("EMAIL_USER")
EMAIL_HOST_PASSWORD = env.secret("EMAIL_PASSWORD")
EMAIL_TIMEOUT = env.integer("EMAIL_TIMEOUT_S", 10, least=1)
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "plan-review@localhost")
PUBLIC_URL = env.text("PUBLIC_URL", f"http://{HOST}:{PORT}").rstrip("/")

# What may go with a message: as these types, so many bytes each.
ATTACHMENT_TYPES = env.words(
    "ATTACHMENT_TYPES",
    (
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "application/pdf",
        "text/plain",
        "text/markdown",
    ),
)
ATTACHMENT_MAX_BYTES = env.integer("ATTACHMENT_MAX_BYTES", 5242880, least=1)

BLOB_STORE = env.text("BLOB_STORE", "database")
WORKSPACE_ROOTS = [
    Path(item).resolve() for item in env.words("WORKSPACE_ROOTS", (str(DATA_DIR / "workspaces"),))
]
SCRIPTS_DIR = Path(env.text("SCRIPTS_DIR", str(DATA_DIR / "scripts")))
SANDBOX_READABLE = env.folders("SANDBOX_READABLE")
SHELL_POLICY = env.shell_policy("SHELL_POLICY")
SHELL_CPU_S = env.integer("SHELL_CPU_S", 600, least=1)
SHELL_MEMORY_MB = env.integer("SHELL_MEMORY_MB", 2048, least=64)
SHELL_PROCESSES = env.integer("SHELL_PROCESSES", 512, least=16)
SHELL_FILE_MB = env.integer("SHELL_FILE_MB", 1024, least=1)
TASK_LIMIT_S = env.integer("TASK_LIMIT_S", 3600, least=1)
# Without a sandbox a command sees what the server sees: one person's own risk, not a team's.
ALLOW_UNSANDBOXED_SHELL = env.boolean("ALLOW_UNSANDBOXED_SHELL", default=EMBEDDED)

# What agents may do without a person: installation-wide, above every project and session.
PERMISSION_RULES_FILE = env.path("PERMISSION_RULES_FILE")
AUTO_MODE = env.boolean("AUTO_MODE", default=True)
AUTO_WHILE_PLANNING = env.choice("AUTO_WHILE_PLANNING", ("keep", "pause"))
AUTO_BREAKER_IN_ROW = env.integer("AUTO_BREAKER_IN_ROW", 3, least=1)
AUTO_BREAKER_TOTAL = env.integer("AUTO_BREAKER_TOTAL", 20, least=1)

# How agents plan, where their preset leaves that to the installation.
PLAN_WORKFLOW = env.choice("PLAN_WORKFLOW", ("phases", "iterative"))
PLAN_EXPLORERS = env.integer("PLAN_EXPLORERS", 3, least=1)
PLAN_DESIGNERS = env.integer("PLAN_DESIGNERS", 1, least=1)
PLANS_DIRECTORY = env.text("PLANS_DIRECTORY", ".plans")
PLAN_SECTION_FILE = env.path("PLAN_SECTION_FILE")

MCP_SERVERS_FILE = env.text("MCP_SERVERS_FILE")
DEFAULT_MODEL = env.text("DEFAULT_MODEL")
MODEL_TIMEOUT_S = env.integer("MODEL_TIMEOUT_S", 300, least=1)

# What is fit for one person on one machine is off where a team shares an installation.
DEFAULT_ALLOW_AUTO = env.boolean("DEFAULT_ALLOW_AUTO", default=EMBEDDED)
DEFAULT_ALLOW_SELF_REVIEW = env.boolean("DEFAULT_ALLOW_SELF_REVIEW", default=EMBEDDED)

LOG_LEVEL = env.text("LOG_LEVEL", "WARNING" if EMBEDDED else "INFO")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    # Django warns of each 4xx. What was asked wrongly is told to whoever asked: on a person's own
    # terminal it would bury what matters.
    "loggers": {
        "django.request": {"level": "ERROR" if EMBEDDED else LOG_LEVEL},
        # These two quote what outside servers answer, and addresses, of which some hold keys.
        "mcp": {"level": "CRITICAL"},
        "httpx2": {"level": "WARNING"},
    },
}

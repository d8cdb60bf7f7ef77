"""Requests as people's browsers and programs send them."""

import json
from typing import Any, TypeAlias

from django.contrib.auth.models import User
from django.test import Client

from planmode.access import tokens
from planmode.access.models import Project

Answer: TypeAlias = Any
"""A response of Django's test client, whose class has no public name."""

API = "/api/v1"
BOTH = frozenset({"submit", "read"})


def browser(user: User, *, checks_csrf: bool = False) -> Client:
    """Return the browser of somebody who is logged in."""
    client = Client(enforce_csrf_checks=checks_csrf)
    client.force_login(user)
    return client


def program(owner: User, project: Project, scopes: frozenset[str] = BOTH) -> Client:
    """Return a program that shows a token of ``owner``."""
    _, text = tokens.issue(owner, project, "a program", scopes=scopes)
    return Client(headers={"Authorization": f"Bearer {text}"})


def post(client: Client, path: str, body: object, **headers: str) -> Answer:
    """POST ``body`` as JSON (or as it is, when it is bytes already)."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(f"{API}{path}", content, content_type="application/json", headers=named)


def get(client: Client, path: str) -> Answer:
    """GET ``path``."""
    return client.get(f"{API}{path}")


def problem(response: Answer) -> tuple[int, str]:
    """Return status and code of a problem, once it has the form of one."""
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == response.status_code
    assert body["type"] == f"/problems/{body['code']}"
    assert body["title"]
    assert isinstance(body["detail"], str)
    return response.status_code, body["code"]

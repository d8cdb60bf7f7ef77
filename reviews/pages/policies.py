"""Settings of a project: what its reviews need before they close."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from planmode.access.may import Action, Owned
from planmode.access.requests import require as require_now
from reviews import dashboards, services
from reviews.core.policy import DEFAULT, MOST_APPROVALS, MOST_HOURS, Rules, Stricter
from reviews.core.tiers import Tier
from reviews.pages.frame import DeskRequest, page
from reviews.pages.projects import managed_project

RISK: Final[dict[Tier, Promise]] = {
    Tier.LOW: gettext_lazy("low"),
    Tier.MEDIUM: gettext_lazy("medium"),
    Tier.HIGH: gettext_lazy("high"),
}


class PolicyForm(forms.Form):
    """The rules of a project's reviews."""

    approvals = forms.IntegerField(
        label=gettext_lazy("Approvals of the same option"), min_value=1, max_value=MOST_APPROVALS
    )
    lead = forms.BooleanField(label=gettext_lazy("A lead has to approve besides"), required=False)
    deadline_hours = forms.IntegerField(
        label=gettext_lazy("Hours until a review expires"),
        help_text=gettext_lazy("Empty: never. An expired review is parked, never approved."),
        min_value=1,
        max_value=MOST_HOURS,
        required=False,
    )
    reason_required = forms.BooleanField(
        label=gettext_lazy("A rejection needs a reason"), required=False
    )
    all_seen_from = forms.ChoiceField(
        label=gettext_lazy("Who approves must have seen every changed block"),
        choices=[
            ("", gettext_lazy("of no plan")),
            (Tier.LOW, gettext_lazy("of any plan")),
            (Tier.MEDIUM, gettext_lazy("of plans of medium and high risk")),
            (Tier.HIGH, gettext_lazy("of plans of high risk")),
        ],
        required=False,
    )
    high_approvals = forms.IntegerField(
        label=gettext_lazy("Approvals of a plan of high risk"),
        help_text=gettext_lazy("Counts where it is more than the number above."),
        min_value=1,
        max_value=MOST_APPROVALS,
    )
    high_lead = forms.BooleanField(
        label=gettext_lazy("A lead has to approve plans of high risk"), required=False
    )
    low_risk_from_queue = forms.BooleanField(
        label=gettext_lazy("Plans of low risk may be approved from the queue"), required=False
    )

    def rules(self) -> Rules:
        """Return what was typed as a policy."""
        values = self.cleaned_data
        return Rules(
            approvals=values["approvals"],
            lead=values["lead"],
            deadline_hours=values["deadline_hours"],
            reason_required=values["reason_required"],
            all_seen_from=Tier(values["all_seen_from"]) if values["all_seen_from"] else None,
            high=Stricter(values["high_approvals"], values["high_lead"]),
            low_risk_from_queue=values["low_risk_from_queue"],
        )


def typed(rules: Rules) -> dict[str, Any]:
    """Return what the form shows of ``rules``."""
    return {
        **rules.as_json(),
        "high_approvals": rules.high.approvals,
        "high_lead": rules.high.lead,
    }


def in_words(rules: Rules) -> list[str]:
    """Return what ``rules`` mean, a sentence each."""
    said = [_needs(rules.asks(Tier.LOW))]
    if rules.asks(Tier.HIGH) != rules.asks(Tier.LOW):
        said.append(_("High risk: %(needs)s") % {"needs": _needs(rules.asks(Tier.HIGH))})
    if rules.deadline_hours:
        said.append(
            ngettext(
                "A review expires after %(n)d hour, which approves nothing.",
                "A review expires after %(n)d hours, which approves nothing.",
                rules.deadline_hours,
            )
            % {"n": rules.deadline_hours}
        )
    if rules.reason_required:
        said.append(_("A rejection needs a reason."))
    if rules.all_seen_from is not None:
        risk = RISK[rules.all_seen_from]
        said.append(
            _("From %(risk)s risk on, who approves must have seen every changed block.")
            % {"risk": risk}
        )
    if rules.low_risk_from_queue:
        said.append(_("Plans of low risk may be approved from the queue."))
    return said


def _needs(asked: Stricter) -> str:
    counted = ngettext(
        "%(n)d approval of the same option", "%(n)d approvals of the same option", asked.approvals
    ) % {"n": asked.approvals}
    if not asked.lead:
        return _("%(approvals)s.") % {"approvals": counted}
    return _("%(approvals)s, and one by a lead besides.") % {"approvals": counted}


@require_http_methods(["GET", "HEAD", "POST"])
@page
def policy(request: DeskRequest, name: str) -> HttpResponse:
    """Show the policy that holds and those before it, or let another one hold."""
    project = managed_project(request, name)
    versions = dashboards.policies_of(project)
    now_in_force = versions[0].rules if versions else DEFAULT
    sent = request.POST if request.method == "POST" else None
    form = PolicyForm(sent, initial=typed(now_in_force))
    if form.is_valid():
        with transaction.atomic():
            require_now(request, Action.MANAGE_PROJECT, Owned(project.pk))
            version = services.set_policy(project, form.rules(), by=request.user)
        messages.success(request, _("Policy %(version)d holds.") % {"version": version})
        return HttpResponseRedirect(reverse("settings-policy", args=[name]))
    context = {
        "form": form,
        "project": project,
        "in_force": in_words(now_in_force),
        "versions": [(row, in_words(row.rules)) for row in versions],
    }
    status = 422 if form.is_bound else 200
    return render(request, "reviews/settings_policy.html", context, status=status)

import os

from outrider import AuthenticatedClient
from outrider.api.campaigns import create_campaign
from outrider.api.leads import add_leads, get_lead
from outrider.api.webhook_events import list_webhook_events
from outrider.api.webhooks import create_webhook, delete_webhook, get_webhook, test_webhook, update_webhook
from outrider.models import AddLeads, CampaignInput, Error, WebhookChanges, WebhookInput

client = AuthenticatedClient(base_url=os.environ["OUTRIDER_URL"], token=os.environ["OUTRIDER_KEY"])

campaign = create_campaign.sync(client=client, body=CampaignInput(name="Python"))
assert campaign.status == "draft"
variables = {"plan": "pro", "seats": 12, "vip": True}
lead = {"email": "ann@example.com", "custom_variables": variables}
rows = AddLeads.from_dict({"campaign_id": str(campaign.id), "leads": [lead]})
assert add_leads.sync(client=client, body=rows).leads_uploaded == 1
found = get_lead.sync(client=client, email="ann@example.com", campaign_id=campaign.id)
assert found.custom_variables.to_dict() == variables

hook = {
    "name": "Python",
    "target_hook_url": "http://127.0.0.1:1/",
    "event_type": "all_events",
    "headers": {"Authorization": "Bearer abc"},
}
created = create_webhook.sync(client=client, body=WebhookInput.from_dict(hook))
assert created.signing_secret.startswith("whsec_")
changed = update_webhook.sync(created.id, client=client, body=WebhookChanges(name="Renamed"))
assert changed.name == "Renamed"
assert test_webhook.sync(created.id, client=client).success is False
[event] = list_webhook_events.sync(client=client, webhook_id=created.id).items
assert event.organization_id == created.organization
assert delete_webhook.sync(created.id, client=client).id == created.id
gone = get_webhook.sync(created.id, client=client)
assert isinstance(gone, Error) and gone.code == "not_found"
print("openapi-python-client: every call as expected")

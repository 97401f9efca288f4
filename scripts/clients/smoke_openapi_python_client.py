import os

from outrider import AuthenticatedClient
from outrider.api.campaigns import create_campaign, update_campaign
from outrider.api.contact_acquisition import acquire_email, find_contacts
from outrider.api.leads import add_leads, get_lead
from outrider.api.webhook_events import list_webhook_events
from outrider.api.webhooks import create_webhook, delete_webhook, get_webhook, test_webhook, update_webhook
from outrider.models import AcquireEmail, AddLeads, CampaignChanges, CampaignInput, Error
from outrider.models import FindContacts, LeadEvent, WebhookChanges, WebhookInput

client = AuthenticatedClient(base_url=os.environ["OUTRIDER_URL"], token=os.environ["OUTRIDER_KEY"])

copies = ["boss@example.com"]
campaign = create_campaign.sync(client=client, body=CampaignInput(name="Python", cc_list=copies))
assert campaign.status == "draft"
# A number of 32 bits would round it.
variables = {"plan": "pro", "seats": 16_777_217, "vip": True}
lead = {"email": "ann@example.com", "custom_variables": variables}
rows = AddLeads.from_dict({"campaign_id": str(campaign.id), "leads": [lead]})
assert add_leads.sync(client=client, body=rows).leads_uploaded == 1
found = get_lead.sync(client=client, email="ann@example.com", campaign_id=campaign.id)
assert found.custom_variables.to_dict() == variables
updated = update_campaign.sync(campaign.id, client=client, body=CampaignChanges(daily_limit=7))
assert (updated.daily_limit, updated.cc_list) == (7, copies)

[contact] = find_contacts.sync(client=client, body=FindContacts(has_email=True, limit=1)).items
wanted = AcquireEmail(contact_id=contact.contact_id, list_name="Python")
assert acquire_email.sync(client=client, body=wanted).status == "acquired"

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
payload = LeadEvent.from_dict(event.payload.to_dict())
assert payload.data.lead.email == payload.lead_email
assert delete_webhook.sync(created.id, client=client).id == created.id
gone = get_webhook.sync(created.id, client=client)
assert isinstance(gone, Error) and gone.code == "not_found"
print("openapi-python-client: every call as expected")

import os

import outrider

configuration = outrider.Configuration(
    host=os.environ["OUTRIDER_URL"], access_token=os.environ["OUTRIDER_KEY"]
)
with outrider.ApiClient(configuration) as client:
    campaigns, leads = outrider.CampaignsApi(client), outrider.LeadsApi(client)
    webhooks, events = outrider.WebhooksApi(client), outrider.WebhookEventsApi(client)
    contacts = outrider.ContactAcquisitionApi(client)

    copies = ["boss@example.com"]
    campaign = campaigns.create_campaign(outrider.CampaignInput(name="Python", cc_list=copies))
    assert campaign.status == "draft"
    # A number of 32 bits would round it.
    variables = {"plan": "pro", "seats": 16_777_217, "vip": True}
    lead = {"email": "ann@example.com", "custom_variables": variables}
    rows = {"campaign_id": str(campaign.id), "leads": [lead]}
    added = leads.add_leads(outrider.AddLeads.from_dict(rows))
    assert added.leads_uploaded == 1
    found = leads.get_lead(email="ann@example.com", campaign_id=campaign.id)
    assert found.custom_variables == variables
    updated = campaigns.update_campaign(campaign.id, outrider.CampaignChanges(daily_limit=7))
    assert (updated.daily_limit, updated.cc_list) == (7, copies)

    search = outrider.FindContacts(has_email=True, limit=1)
    [contact] = contacts.find_contacts(find_contacts=search).items
    wanted = outrider.AcquireEmail(contact_id=contact.contact_id, list_name="Python")
    assert contacts.acquire_email(wanted).status == "acquired"

    created = webhooks.create_webhook(
        outrider.WebhookInput(
            name="Python",
            target_hook_url="http://127.0.0.1:1/",
            event_type="all_events",
            headers={"Authorization": "Bearer abc"},
        )
    )
    assert created.signing_secret.startswith("whsec_") and created.organization
    changed = webhooks.update_webhook(created.id, outrider.WebhookChanges(name="Renamed"))
    assert changed.name == "Renamed"
    assert webhooks.test_webhook(created.id).success is False
    [event] = events.list_webhook_events(webhook_id=created.id).items
    assert event.organization_id == created.organization and event.timestamp_created_date
    payload = outrider.LeadEvent.from_dict(event.payload)
    assert payload.data.lead.email == payload.lead_email
    assert webhooks.delete_webhook(created.id).id == created.id
    try:
        webhooks.get_webhook(created.id)
        raise AssertionError("a deleted webhook is a 404")
    except outrider.exceptions.NotFoundException as error:
        assert '"not_found"' in error.body
print("openapi-generator, Python: every call as expected")

import os

import outrider

configuration = outrider.Configuration(
    host=os.environ["OUTRIDER_URL"], access_token=os.environ["OUTRIDER_KEY"]
)
with outrider.ApiClient(configuration) as client:
    campaigns, leads = outrider.CampaignsApi(client), outrider.LeadsApi(client)
    webhooks, events = outrider.WebhooksApi(client), outrider.WebhookEventsApi(client)

    campaign = campaigns.create_campaign(outrider.CampaignInput(name="Python"))
    assert campaign.status == "draft"
    lead = {"email": "ann@example.com", "custom_variables": {"plan": "pro", "seats": 12, "vip": True}}
    rows = {"campaign_id": str(campaign.id), "leads": [lead]}
    added = leads.add_leads(outrider.AddLeads.from_dict(rows))
    assert added.leads_uploaded == 1
    found = leads.get_lead(email="ann@example.com", campaign_id=campaign.id)
    assert found.custom_variables == lead["custom_variables"]

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
    assert webhooks.delete_webhook(created.id).id == created.id
    try:
        webhooks.get_webhook(created.id)
        raise AssertionError("a deleted webhook is a 404")
    except outrider.exceptions.NotFoundException as error:
        assert '"not_found"' in error.body
print("openapi-generator, Python: every call as expected")

package smoke;

import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CampaignsApi;
import org.openapitools.client.api.ContactAcquisitionApi;
import org.openapitools.client.api.LeadsApi;
import org.openapitools.client.api.WebhookEventsApi;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.model.AcquireEmail;
import org.openapitools.client.model.AddLeads;
import org.openapitools.client.model.CampaignChanges;
import org.openapitools.client.model.CampaignInput;
import org.openapitools.client.model.FindContacts;
import org.openapitools.client.model.LeadEvent;
import org.openapitools.client.model.LeadInput;
import org.openapitools.client.model.LeadInputCustomVariablesValue;
import org.openapitools.client.model.WebhookChanges;
import org.openapitools.client.model.WebhookInput;

public class Smoke {
  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("OUTRIDER_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("OUTRIDER_KEY")));
    var webhooks = new WebhooksApi(client);

    var campaigns = new CampaignsApi(client);
    var campaign = campaigns.createCampaign(new CampaignInput().name("Java").addCcListItem("boss@example.com"), null, null);
    var leads = new LeadsApi(client);
    // A number of 32 bits would round it.
    var seats = 16_777_217.0;
    var row = new LeadInput().email("ann@example.com").putCustomVariablesItem("seats", new LeadInputCustomVariablesValue(seats));
    var rows = new AddLeads().campaignId(campaign.getId()).leads(List.of(row));
    expect(leads.addLeads(rows, null, null).getLeadsUploaded() == 1, "the lead was not added");
    var lead = leads.getLead("ann@example.com", campaign.getId(), null);
    expect(((Number) lead.getCustomVariables().get("seats")).doubleValue() == seats, "another lead");
    var updated = campaigns.updateCampaign(campaign.getId(), new CampaignChanges().dailyLimit(7), null);
    expect(updated.getDailyLimit() == 7 && updated.getCcList().size() == 1, "more or less was changed than the limit");

    var contacts = new ContactAcquisitionApi(client);
    var found = contacts.findContacts(null, null, null, null, new FindContacts().hasEmail(true).limit(1)).getItems();
    var wanted = new AcquireEmail().contactId(found.get(0).getContactId()).listName("Java");
    var acquired = contacts.acquireEmail(wanted, null, null);
    expect(found.size() == 1 && acquired.getStatus().getValue().equals("acquired"), "the contact was not acquired");

    var hook = new WebhookInput().name("Java").targetHookUrl("http://127.0.0.1:1/").eventType("all_events");
    var created = webhooks.createWebhook(hook.headers(Map.of("Authorization", "Bearer abc")), null, null);
    var changed = webhooks.updateWebhook(created.getId(), new WebhookChanges().name("Renamed"), null);
    expect(changed.getName().equals("Renamed"), "not renamed");
    expect(!webhooks.testWebhook(created.getId(), null, null).getSuccess(), "nobody listens there");
    var events = new WebhookEventsApi(client)
        .listWebhookEvents(null, null, null, null, created.getId(), null, null, null, null, null);
    var payload = client.getObjectMapper().convertValue(events.getItems().get(0).getPayload(), LeadEvent.class);
    expect(payload.getData().getLead().getEmail().equals(payload.getLeadEmail()), "the event is not as described");
    webhooks.deleteWebhook(created.getId(), null);
    try {
      webhooks.getWebhook(created.getId(), null);
      throw new IllegalStateException("a deleted webhook is a 404");
    } catch (ApiException error) {
      expect(error.getCode() == 404, "a deleted webhook is a 404");
    }
    System.out.println("openapi-generator, Java: every call as expected");
  }

  private static void expect(boolean holds, String otherwise) {
    if (!holds) throw new IllegalStateException(otherwise);
  }
}

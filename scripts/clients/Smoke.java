package smoke;

import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CampaignsApi;
import org.openapitools.client.api.LeadsApi;
import org.openapitools.client.api.WebhookEventsApi;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.model.AddLeads;
import org.openapitools.client.model.CampaignInput;
import org.openapitools.client.model.LeadInput;
import org.openapitools.client.model.WebhookChanges;
import org.openapitools.client.model.WebhookInput;

public class Smoke {
  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("OUTRIDER_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("OUTRIDER_KEY")));
    var webhooks = new WebhooksApi(client);

    var campaign = new CampaignsApi(client).createCampaign(new CampaignInput().name("Java"), null, null);
    var leads = new LeadsApi(client);
    var rows = new AddLeads().campaignId(campaign.getId()).leads(List.of(new LeadInput().email("ann@example.com")));
    expect(leads.addLeads(rows, null, null).getLeadsUploaded() == 1, "the lead was not added");
    var lead = leads.getLead("ann@example.com", campaign.getId(), null);
    expect(lead.getEmail().equals("ann@example.com"), "another lead");

    var hook = new WebhookInput().name("Java").targetHookUrl("http://127.0.0.1:1/").eventType("all_events");
    var created = webhooks.createWebhook(hook.headers(Map.of("Authorization", "Bearer abc")), null, null);
    var changed = webhooks.updateWebhook(created.getId(), new WebhookChanges().name("Renamed"), null);
    expect(changed.getName().equals("Renamed"), "not renamed");
    expect(!webhooks.testWebhook(created.getId(), null, null).getSuccess(), "nobody listens there");
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

import {
  eventCatalogue,
  eventPayloadSchemas,
} from '../../server/src/features/events/catalogue/index.ts'
import type { ApiDescription } from './collect.ts'

/** What a reader of the API reference has to know before the first operation. */
export const apiDescription: ApiDescription = {
  title: 'Outrider API',
  description: `
Campaigns, leads, contact acquisition, signed webhooks with a complete delivery history, and
service-account keys.

## Authentication

Every request carries a service-account key, \`Authorization: Bearer ork_…\`, and sees the one
workspace the key belongs to. The operator makes the first key with \`npx outrider keys create\`; a key
makes others, with at most its own scopes. A scope is \`resource:action\`; \`all\` or \`*\` stands for
every resource or action. This is a server-side API: keep keys out of URLs, browsers and logs.

## Requests

Bodies are JSON objects in UTF-8, at most 1 MiB, and 10 MiB to add leads. A request has 60 seconds to
arrive. An unknown field is a 400 that names it, unless it is empty; unknown query parameters are
ignored. In POST \`null\` is the same as leaving a field out; in PATCH it clears a field. Times are ISO
8601 in UTC with milliseconds.

Every POST takes an \`Idempotency-Key\`, which makes it safe to repeat: the first 2xx answer is kept
for 24 hours and replayed.

## Lists

\`{"items": […], "next_starting_after": "…"}\`, newest first. Pass \`next_starting_after\` unchanged as
\`starting_after\`; when it is absent, this was the last page. What was there before the first page
was read appears exactly once.

## Errors

The statuses are 400, 401, 403, 404, 409, 429, 500 and 503. \`code\` is for programs, \`message\` for
people, \`details\` names each problem. Repeat only 5xx, \`rate_limited\` and
\`idempotency_key_in_progress\`, this with the same key: its first request is still running.
\`Retry-After\` tells when. Another workspace's record is a 404, as if it did not exist.

## Rate limit

10,000 requests in 10 seconds and workspace unless its plan says otherwise. \`RateLimit\` tells what is
left. Without Redis each process of the service counts for itself.

## Receiving webhooks

Deliveries follow [Standard Webhooks](https://www.standardwebhooks.com): verify
\`webhook-signature\` with any of its libraries, store \`webhook-id\` before answering 2xx, and drop what
you have stored already: a delivery may come more than once. No order is promised; sort by
\`timestamp\`. Answer within 15 seconds. A failed delivery is tried again after 5 s, 1 min, 5 min,
30 min, 2 h, 8 h and 24 h, unless the operator set another schedule; 410 disables the webhook.

## Generated clients

openapi-generator, oapi-codegen, openapi-python-client and hey-api make clients from this document.
Three need an option: openapi-generator's Java
\`--additional-properties=containerDefaultToNull=true\`, without which a PATCH empties the lists that were
not set; its Python \`--global-property apis,models,supportingFiles\`, and oapi-codegen
\`-generate types,client,skip-prune\`, which else write code for the webhooks that does not compile.
`.trim(),
  tags: [
    {
      name: 'Service-account keys',
      description: 'Make, list and revoke the keys that authenticate requests.',
    },
    {
      name: 'Campaigns',
      description: 'Who is written to, what, when and from which mailboxes.',
    },
    {
      name: 'Leads',
      description: 'Add people to a campaign, find one by e-mail address, say what became of them.',
    },
    {
      name: 'Contact acquisition',
      description:
        'Search a directory of contacts, and reveal their work addresses for credits. Metered apart ' +
        'from the rest: it has an entitlement and a rate limit of its own. The paths are of an ' +
        'earlier version of the API.',
    },
    {
      name: 'Webhooks',
      description: 'Destinations that receive events of the workspace or of one campaign.',
    },
    {
      name: 'Webhook events',
      description:
        'The history of deliveries: one record for each attempt, kept for 30 days or as long as the ' +
        'operator set, and counts for monitoring.',
    },
    {
      name: 'Events',
      description: 'What a webhook receives. The operations here are answered by your receiver.',
    },
  ],
  webhooks: eventCatalogue,
  schemas: eventPayloadSchemas,
}

/** Of what the browser application uses. */
export const applicationDescription: ApiDescription = {
  title: 'Outrider application',
  description:
    'What the browser application asks of its own server: the operations of the API once more, by ' +
    'session in place of a key, and those that only people have. Not a public API: it changes with ' +
    'the application.',
  tags: [
    { name: 'Sign-in', description: 'To a session and out of it, and the first user.' },
    { name: 'Profile', description: 'What a person does for themselves.' },
    { name: 'Members', description: 'Who may do what in a workspace.' },
    { name: 'Mailboxes', description: 'That campaigns send from, and their logins.' },
    { name: 'Labels', description: 'Of interest, and what they do to sending.' },
    { name: 'Suppression', description: 'Whom nobody writes to.' },
    { name: 'Workspace', description: 'Settings, plan and audit log.' },
    ...apiDescription.tags,
  ],
  webhooks: {},
  schemas: [],
}

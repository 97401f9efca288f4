import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { longest } from '../src/lib/longest.ts'

const document = JSON.parse(
  readFileSync(new URL('../../server/openapi.app.json', import.meta.url), 'utf8'),
)

const variant = ['CampaignSequence', 'steps', 'items', 'variants', 'items']
/** Names of a schema and of members in it, one of which tells the length. */
const told: Record<keyof typeof longest, string[]> = {
  name: ['CampaignInput', 'name'],
  address: ['MailboxInput', 'address'],
  host: ['MailboxInput', 'smtp', 'host'],
  password: ['MailboxInput', 'smtp', 'password'],
  zone: ['MailboxInput', 'timezone'],
  url: ['WebhookInput', 'target_hook_url'],
  search: ['BulkChange', 'filter', 'search'],
  headerName: ['WebhookInput', 'headers', 'propertyNames'],
  headerValue: ['WebhookInput', 'headers', 'additionalProperties'],
  variableName: ['ImportChange', 'mapping', 'items', 'variable'],
  variableText: ['LeadChanges', 'custom_variables', 'additionalProperties', 'anyOf', '0'],
  leadText: ['LeadChanges', 'job_title'],
  personalization: ['LeadChanges', 'personalization'],
  subject: [...variant, 'subject'],
  body: [...variant, 'body'],
}

test.each(Object.entries(told))('as long a %s as the server takes can be typed', (name, path) => {
  const schema = path.reduce(
    (found, part) => found.properties?.[part] ?? found[part],
    document.components.schemas,
  )
  expect(longest).toHaveProperty(name, schema.maxLength)
})

import { expect, test } from 'vitest'
import { providerSavesSent } from './save-sent.ts'

test.each([
  ['smtp.gmail.com', true],
  ['SMTP.Gmail.com', true],
  ['smtp.office365.com', true],
  ['smtp-mail.outlook.com', true],
  ['smtp-relay.gmail.com', false],
  ['smtp.gmail.com.example.com', false],
  ['mail.example.com', false],
])('%s files what it sends: %s', (host, files) => {
  expect(providerSavesSent(host)).toBe(files)
})

import { expect, test } from 'vitest'
import { firstValues, webhookChangeOf } from '../src/features/webhooks/webhook-form.ts'

const began = {
  ...{ ...firstValues, name: 'CRM', target_hook_url: 'https://crm.example/in' },
  headers: [{ name: 'Authorization', value: '••••' }],
}
const changeTo = (values: Partial<typeof began>) =>
  webhookChangeOf({ ...began, ...values }, began, [])

test('headers that somebody else changed stay when the address is another of the same host', () => {
  const target_hook_url = 'https://crm.example/other'
  expect(changeTo({ target_hook_url })).toEqual({ target_hook_url })
})

test('headers go along to another host, whose server would drop them without', () => {
  const target_hook_url = 'https://other.example/in'
  expect(changeTo({ target_hook_url })).toEqual({
    target_hook_url,
    headers: { Authorization: '••••' },
  })
})

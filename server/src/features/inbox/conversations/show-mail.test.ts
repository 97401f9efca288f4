import { expect, test } from 'vitest'
import { showMail } from './show-mail.ts'

test('a workspace opens at most 24 large mails at once, and keeps no other from opening one', async () => {
  const mail = { html: '<p>Whole</p>'.repeat(4000), text: 'Its text' }
  const show = (workspaceId: string) => showMail(workspaceId, mail, { showsImages: false })
  const opened = Array.from({ length: 24 }, () => show('a'))
  await expect(show('a')).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await show('b')).toContain('<p>Whole</p><p>Whole</p>')
  for (const page of await Promise.all(opened)) expect(page).toContain('<p>Whole</p><p>Whole</p>')
  expect(await show('a')).toContain('<p>Whole</p><p>Whole</p>')
})

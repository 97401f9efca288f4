import { expect } from 'vitest'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import { createMember, createPerson, createTeam, join } from '../../../server/test/people.ts'
import { enter } from '../application.ts'
import { expectFailures } from '../browser.ts'
import { withProvider } from '../provider.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/members'

test('somebody is invited, joins and gets another role, an invitation is withdrawn, a password is reset, and a member is removed', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createMember(api, 'fritz@example.com', 'member')
  const { member } = await createTeam(api, api.workspaceId)
  const page = await open(application.visitor, `${path}?panel=invite`)
  const rowOf = (name: string) => page.getByRole('row', { name })
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('carla@example.com')
  await page.getByRole('radio', { name: 'Viewer' }).check()
  await page.getByRole('button', { name: 'Create invitation' }).click()
  const link = await page.getByLabel('Invitation link').inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('rowheader', { name: 'carla@example.com' }).waitFor()

  const { hash } = new URL(link)
  const theirs = await open(undefined, `/invitation${hash}`)
  await theirs.getByRole('heading', { name: 'Join default' }).waitFor()
  await theirs.getByLabel('Your name').fill('Carla')
  await theirs.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
  await theirs.getByRole('button', { name: 'Join' }).click()
  await theirs.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await theirs.getByRole('link', { name: 'Audit log' }).count()).toBe(0)

  await page.reload()
  await page.getByText('Nobody is invited at the moment.').waitFor()
  // A role that is chosen, which one arrow key does, is asked about first.
  const changes: string[] = []
  page.on('request', (request) => void (request.method() === 'PATCH' && changes.push('role')))
  await page.getByLabel('Role of Carla').selectOption('Member')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Role of Carla').inputValue()).toBe('viewer')
  expect(changes).toEqual([])
  await page.getByLabel('Role of Carla').selectOption('Admin')
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click(),
  ])
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await theirs.reload()
  await theirs.getByRole('link', { name: 'Audit log' }).waitFor()

  // An invitation that was withdrawn opens nothing.
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('dora@example.com')
  await page.getByRole('button', { name: 'Create invitation' }).click()
  const withdrawn = new URL(await page.getByLabel('Invitation link').inputValue())
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Withdraw invitation of dora@example.com' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click()
  await page.getByRole('rowheader', { name: 'dora@example.com' }).waitFor({ state: 'detached' })
  const nobody = await open(undefined, `/invitation${withdrawn.hash}`)
  await nobody.getByText('The invitation is not valid').waitFor()
  expectFailures(nobody, 'POST /app/invitations/received 404')

  // A link sets a new password for somebody who forgot nobody.
  await rowOf(person.email).getByRole('button', { name: 'More for Test' }).click()
  await page.getByRole('menuitem', { name: 'Reset password' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const reset = page.getByLabel('Link', { exact: true })
  const { hash: token } = new URL(await reset.inputValue())
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  // Nor does a reading of the list that fails take it away.
  expectFailures(page, 'GET /app/members 409')
  await page.route('**/app/members', (route) => route.fulfill(refusal(409, 'Not now.')))
  const body = { email: 'gerda@example.com', role: 'member' }
  const { body: made } = await application.asOwner('POST', '/app/invitations', body)
  await page.getByText('Not now.').waitFor()
  await page.unrouteAll()
  await application.asOwner('DELETE', `/app/invitations/${made.id}`)
  await page.getByText('Not now.').waitFor({ state: 'detached' })
  expect(new URL(await reset.inputValue()).hash).toBe(token)
  await page.getByRole('button', { name: 'Done' }).click()
  await nobody.goto(`${application.address}/reset${token}`)
  await nobody.getByLabel('New password', { exact: true }).fill('a newer horse battery staple')
  await nobody.getByRole('button', { name: 'Set password' }).click()
  await nobody.getByRole('heading', { name: 'Home' }).waitFor()

  // A member who is removed is out at once.
  const row = rowOf(member.email)
  await row.getByRole('button', { name: 'More for Test' }).click()
  await page.getByRole('menuitem', { name: 'Remove from workspace' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  const removed = await open(member.browser, path)
  await removed.getByText('Nothing here').waitFor()
})

test('whoever is taken out while they write is told so, and their text stays until they go on', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createMember(api, 'ida@example.com', 'admin')
  const page = await open(person.browser, `${path}?panel=invite`)
  expectFailures(page, / 403$/)
  const field = page.getByRole('textbox', { name: 'E-mail address' })
  await field.fill('half-written@')
  await application.asOwner('DELETE', `/app/members/${person.id}`)
  await page.getByText('You are no longer a member of default').waitFor()
  expect(await field.inputValue()).toBe('half-written@')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('link', { name: 'Go on' }).click()
  await page.getByRole('heading', { name: 'You are in no workspace' }).waitFor()
})

test('whoever leaves a workspace by their own row is asked first and goes on in another, and its last owner is told to make one', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createPerson(api, { email: 'hanna@example.com' })
  const [shared, own] = await Promise.all(
    ['Shared', 'Own'].map((name) => createWorkspace(api.ctx, name)),
  )
  if (!shared || !own) throw new Error('There is no workspace.')
  await join(api, shared.id, person, 'viewer')
  await join(api, own.id, person, 'owner')
  const page = await open(person.browser, '/w/shared/settings/members')
  const leave = async () => {
    await page.getByRole('button', { name: 'More for Test' }).click()
    await page.getByRole('menuitem', { name: 'Leave this workspace' }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
  }
  await leave()
  await page.getByRole('button', { name: 'Workspace Own' }).waitFor()
  expectFailures(page, 'DELETE /app/membership 409')
  await page.getByRole('link', { name: 'Members' }).click()
  await leave()
  await page.getByText('make somebody else one first').waitFor()
})

test('whoever has an account signs in to join, and is taken to the workspace that they have joined', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createPerson(api, { email: 'erik@example.com' })
  const other = await createWorkspace(api.ctx, 'Elsewhere')
  await join(api, other.id, person, 'owner')
  const body = { email: 'erik@example.com', role: 'member' }
  const created = await application.asOwner('POST', '/app/invitations', body)
  const page = await open(undefined, `/invitation${new URL(created.body.url).hash}`)
  await page.evaluate(`localStorage.setItem('outrider-workspace', 'elsewhere')`)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/w\/default/)
})

test('whoever has an account at a provider signs in there to join', async ({
  application,
  open,
}) => {
  const { api, address } = application
  const person = await createPerson(api, { email: 'frida@example.com' })
  const body = { email: person.email, role: 'member' }
  const created = await application.asOwner('POST', '/app/invitations', body)
  const page = await open(undefined, '/sign-in')
  const { hash } = new URL(created.body.url)
  const openProvider = await withProvider(page, `${address}/invitation${hash}`)
  const tab = await openProvider()
  await enter(page.context(), address, person.browser)
  await tab.close()
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  await page.getByText(`You are signed in as ${person.email}.`).waitFor()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

import { globSync } from 'node:fs'
import { parseSync } from 'libpg-query'
import { expect, test } from 'vitest'
import '../../src/app.ts'
import { listPrepared, type Reach } from '../../src/kernel/db/prepared.ts'
import { checkStatement } from './check.ts'
import { workspaceParameters } from './handle-rules.ts'
import { testCatalog } from './test-catalog.ts'

/**
 * All that is asked of the database across workspaces, by handles of a process alone: a line more is a
 * statement more that each of several databases has to be asked.
 */
const acrossWorkspaces: Record<string, string[]> = {
  'features/acquisition': ['findDuePeriods', 'findRevealed', 'findRevealedAddresses', 'findShown'],
  'features/campaigns': ['countWithoutUnsubscribing', 'findCampaignsToReschedule'],
  'features/deliveries': [
    'countAbandons',
    'countBacklog',
    'countBacklogFull',
    'deleteOldCounts',
    'findDueFanouts',
    'findDueLanes',
    'findOldestPendingEvent',
    'listFailing',
    'sweepLanes',
  ],
  'features/erasure': ['claimErasure'],
  'features/imports': ['claimImport'],
  'features/inbox': ['findMailboxesToRead'],
  'features/keys': ['findAuthorities', 'findAuthority'],
  'features/leads/bulk': ['claimJob'],
  'features/mailbox-lanes': ['findMarkedCampaigns'],
  'features/mailboxes': [
    'countMailboxes',
    'countRemoteSenders',
    'countUnreadMailboxes',
    'listMailDomains',
  ],
  'features/members': ['listMembershipsOf', 'listWorkspacesOf'],
  'features/moves': ['copyIn', 'copyOut', 'listLeaving'],
  'features/sending': [
    'countOpenSends',
    'countSetAside',
    'countUncertainSends',
    'countWaitingLeads',
    'deleteMissingMarks',
    'findInterruptedLanes',
    'findUncertain',
    'findUncertainBuckets',
    'findWokenLanes',
    'listMissingMails',
    'readRestoreEffects',
    'sweepWokenLanes',
    'withdrawUnclaimed',
  ],
  'kernel/sealed-columns': ['countSealed', 'findForeign', 'replaceSealed'],
}

test('what is asked across workspaces is what stands here', async () => {
  const source = new URL('../../src/', import.meta.url)
  const found: Record<string, string[]> = {}
  for (const path of globSync('**/cross-workspace.ts', { cwd: source })) {
    const exported: object = await import(new URL(path, source).href)
    found[path.replace('/cross-workspace.ts', '')] = Object.keys(exported).sort()
  }
  expect(found).toEqual(acrossWorkspaces)
})

const namesOf = (reach: Reach) => listPrepared().filter((each) => each.reach === reach)

test('a prepared statement for one workspace names it by its first parameter, and by no other', () => {
  const others = namesOf('one').filter(({ text }) => {
    const [first] = parseSync(text).stmts ?? []
    const numbers = first?.stmt ? workspaceParameters(first.stmt) : []
    return numbers.some((number) => number !== 1)
  })
  expect(others.map(({ name }) => name)).toEqual([])
})

test.each([
  ['batch', /^\s*\/\* batch \*\//],
  ['all', /^\s*\/\* cross-workspace: /],
] as const)(
  'prepared for %s says so to the check of statements, and nothing else does',
  (reach, mark) => {
    const wrong = listPrepared().filter((each) => mark.test(each.text) !== (each.reach === reach))
    expect(wrong.map(({ name }) => name)).toEqual([])
  },
)

test('a prepared statement for any handle reads no table of a workspace', async () => {
  const catalog = await testCatalog()
  const uses = { unbound: true, bound: false, own: new Set<number>() }
  const wrong = namesOf('any').filter(({ text }) => checkStatement(text, catalog, uses).length > 0)
  expect(wrong.map(({ name }) => name)).toEqual([])
})

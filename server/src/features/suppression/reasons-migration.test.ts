import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { databaseBefore } from '../../../test/database-before.ts'
import { bind } from '../../kernel/db/db.ts'
import { exportSuppressions } from './index.ts'

test('of entries of before the block and the bounce beneath a stronger reason stand', async () => {
  const { client, db, migrate } = await databaseBefore('0149_reasons_of_suppressions.sql')
  const workspace = randomUUID()
  const [blocked, entered] = ['2026-10-01T10:00:00.000Z', '2026-11-02T10:00:00.000Z']
  await client.query(
    `insert into workspaces (id, name, handle, timestamp_created, timestamp_updated) values ($1, 'one', 'one', $2, $2)`,
    [workspace, entered],
  )
  for (const [value, reason, since] of [
    ['ann@lead.example', 'bounced', blocked],
    ['bob@lead.example', 'unsubscribed', null],
    ['eve@lead.example', 'unsubscribed', null],
  ]) {
    await client.query(
      `insert into suppressions (workspace_id, kind, value, reason, timestamp_created, blocked_since)
       values ($1, 'address', $2, $3, $4, $5)`,
      [workspace, value, reason, entered, since],
    )
  }
  for (const [email, reason] of [
    ['bob@lead.example', 'bounced'],
    ['bob@lead.example', 'bounced'],
    ['eve@lead.example', 'unsubscribed'],
  ]) {
    await client.query(
      `insert into leads (workspace_id, id, campaign_id, email, email_folded, stop_reason,
         sending_state, status, timestamp_created, timestamp_updated)
       values ($1, gen_random_uuid(), gen_random_uuid(), $2, $2, $3, 'stopped', 'bounced', $4, $4)`,
      [workspace, email, reason, entered],
    )
  }
  await migrate()
  const lines = []
  for await (const piece of exportSuppressions({ db: bind(db, workspace) } as never, workspace)) {
    lines.push(...piece.split('\n'))
  }
  expect(lines.filter((line) => line.includes('@'))).toEqual([
    `ann@lead.example,address,blocked,${blocked}`,
    `ann@lead.example,address,bounced,${entered}`,
    `bob@lead.example,address,bounced,${entered}`,
    `bob@lead.example,address,unsubscribed,${entered}`,
    `eve@lead.example,address,unsubscribed,${entered}`,
  ])
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { listBombs } from '../../../test/hostile-inputs/lists.ts'
import { longestTurnMs } from '../../../test/longest-turn.ts'
import { readLines } from '../../kernel/csv/read-lines.ts'
import { BrokenFile } from '../../kernel/csv/recode.ts'
import { AppError } from '../../kernel/errors.ts'
import { operator } from '../audit/index.ts'
import { importSuppressions } from '../import-suppressions/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { readFormat } from './format.ts'
import { readRows } from './rows.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

async function* arriving(list: Buffer) {
  // As the body of a request comes, or parts from the database.
  for (let at = 0; at < list.length; at += 1 << 18) yield list.subarray(at, at + (1 << 18))
}

/** Also of a file whose rest cannot be read. */
async function endOf(rows: AsyncIterable<unknown>) {
  try {
    for await (const _ of rows);
  } catch (error) {
    expect(error).toBeInstanceOf(BrokenFile)
  }
}

let ctx: TestContext
let workspaceId: string
beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'lists')).id
})
afterAll(() => ctx[Symbol.asyncDispose]())

describe.each(listBombs)('a list of %s holds up nobody', (_, makeList) => {
  const list = makeList()

  test('when its format is found', async () => {
    const heldMs = await longestTurnMs(heldMaxMs, () =>
      readFormat(list).catch((error) => expect(error).toBeInstanceOf(AppError)),
    )
    expect(heldMs).toBeLessThan(heldMaxMs)
  })

  test('when its rows are read', async () => {
    const format = { encoding: 'utf-8', delimiter: ',', heading_row: 1 }
    const mapping = [{ target: 'email' as const }]
    const rows = readRows(arriving(list), format, ['email'], mapping)
    const heldMs = await longestTurnMs(heldMaxMs, () => endOf(rows))
    expect(heldMs).toBeLessThan(heldMaxMs)
  })

  test('when it is a list of whom nobody writes to', async () => {
    const heldMs = await longestTurnMs(heldMaxMs, () =>
      importSuppressions(ctx, workspaceId, readLines(arriving(list)), 'blocked', operator),
    )
    expect(heldMs).toBeLessThan(heldMaxMs)
  })
})

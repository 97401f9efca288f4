import {
  changeImport,
  checkImport,
  createImport,
  getImport,
  ImportRunner,
  putPart,
  startImport,
} from '../src/features/imports/index.ts'
import type { TestApi } from './app.ts'

const partBytes = 4 * 1024 * 1024

type Change = Parameters<typeof changeImport>[3]

/** What a person does on the page of imports, with a runner beside. */
export function importer({ ctx, workspaceId }: TestApi) {
  const by = { actor: { type: 'user', id: ctx.newId() } as const }
  const runner = new ImportRunner(ctx)
  const run = async () => {
    await runner.look()
    await runner.idle()
  }
  const begin = async (id: string) => {
    const { timestamp_updated: seen } = await getImport(ctx, workspaceId, id)
    return startImport(ctx, workspaceId, id, { seen, by })
  }
  return {
    runner,
    run,
    get: (id: string) => getImport(ctx, workspaceId, id),
    change: (id: string, change: Change) => changeImport(ctx, workspaceId, id, change),
    begin,
    /** Sends a file, the last part first. */
    async send(file: string | Buffer, change: Change = {}) {
      const bytes = Buffer.from(file as string)
      const input = { file_name: 'leads.csv', file_bytes: bytes.length }
      const { id, parts_missing } = await createImport(ctx, workspaceId, input, by)
      for (const number of parts_missing.toReversed()) {
        const part = bytes.subarray((number - 1) * partBytes, number * partBytes)
        await putPart(ctx, workspaceId, id, { number, content: part }, by)
      }
      return changeImport(ctx, workspaceId, id, change)
    },
    async check(id: string) {
      await checkImport(ctx, workspaceId, id)
      await run()
      return getImport(ctx, workspaceId, id)
    },
    async start(id: string) {
      await begin(id)
      await run()
      return getImport(ctx, workspaceId, id)
    },
  }
}

/** As many rows as are wanted, each somebody else. */
export const manyRows = (count: number) =>
  `email,first_name,company_name\n${Array.from(
    { length: count },
    (_, at) => `person${at}@import.example,Ann ${at},Example ${at % 100} Ltd\n`,
  ).join('')}`

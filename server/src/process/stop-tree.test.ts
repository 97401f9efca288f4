import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startOutreach } from '../../test/outreach.ts'
import { makeDataDir, startService } from '../../test/processes.ts'

const leads = 30

test.runIf(process.platform === 'linux')(
  'SIGTERM to the whole process tree, PostgreSQL included, is a clean stop that repeats nothing',
  async () => {
    const settings = { DATA_DIR: await makeDataDir() }
    // Answers wait until the signal was sent: they are under way when the database is told to end.
    const { promise: signalled, resolve: signal } = Promise.withResolvers<void>()
    let holds = false
    const answered: string[] = []
    await using outreach = await startOutreach({
      async answer({ headers }, response) {
        if (holds) await signalled
        answered.push(String(headers['webhook-id']))
        response.writeHead(200).end()
      },
    })
    const { outbox, receiver } = outreach
    await using service = startService('main', settings)
    const api = await outreach.setUp(service, settings)
    holds = true
    const before = receiver.requests.length
    await api.addLeads(Array.from({ length: leads }, (_, n) => `lead${n}@lead.example`))
    await receiver.waitFor(before + 1)
    await outbox.waitFor(10)
    for (const pid of treeOf(service.pid)) end(pid)
    signal()
    expect(await service.exited, service.errors()).toEqual({ code: 0, signal: null })
    expect(service.errors()).not.toContain('ended before everything had stopped')

    const endedBefore = new Set(answered)
    await using again = startService('main', settings)
    await again.address()
    await outbox.waitFor(leads)
    await receiver.waitFor(answered.length + 1)
    expect(new Set(outbox.mails.map(({ to }) => to)).size).toBe(outbox.mails.length)
    const repeated = answered.filter((id, at) => endedBefore.has(id) && answered.indexOf(id) !== at)
    expect(repeated).toEqual([])
  },
)

function end(pid: number) {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    // A connection of PostgreSQL that has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The process and all that it started, PostgreSQL's own children too. */
function treeOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // Gone meanwhile.
    }
  }
  const tree = [root]
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  }
  return tree
}

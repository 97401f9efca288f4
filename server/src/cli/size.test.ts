import { expect, test } from 'vitest'
import { run } from '../../test/commands.ts'
import { reckon } from './size-model.ts'

test('size tells what a load takes, with the costs that it reckoned with and where they are from', async () => {
  const { code, stdout, stderr } = await run('size', '--mails', '2000000', '--deliveries', '50000')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const line of [
    /^cores +\d+ +\d+$/m,
    /^memory +\d.* [MG]B +\d.* [MG]B$/m,
    /^disk +- +\d.* TB$/m,
    /^process +start \d+ times "npx outrider api" and \d+ times "npx outrider runner"$/m,
    /^PostgreSQL +give it a machine of its own with \d+ cores: DATABASE_URL$/m,
    /^delivery +50,000 +\d+ µs +\d+ µs +[\d.]+ \+ [\d.]+ +npm run bench -- deliveries$/m,
    /^attempt +[\d,]+ +\d.* TB +npm run bench -- capacity --only disk$/m,
  ]) {
    expect(stdout).toMatch(line)
  }
})

test('size needs nothing but itself, and says what a small team does not need', async () => {
  const { code, stdout } = await run('size')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^processes +1: npm start +\d+ connections$/m)
  for (const name of ['process', 'pooler', 'PostgreSQL', 'standby', 'shard']) {
    expect(stdout).toMatch(new RegExp(`^${name} +not needed$`, 'm'))
  }
})

test('processes that are started apart are told to share a PostgreSQL, without which none starts', async () => {
  const { stdout } = await run('size', '--deliveries', '8000')
  expect(stdout).toMatch(/^process +start 1 times/m)
  expect(stdout).toMatch(/^PostgreSQL +one of your own .*: DATABASE_URL$/m)
})

test('size as JSON is the whole model', async () => {
  const { stdout } = await run('size', '--leads', '5', '--message-days', '30', '--json')
  const { load, cores, disk, unitCosts, unitBytes } = JSON.parse(stdout)
  expect(load).toMatchObject({ leads: 5, messageDays: 30, attemptDays: 30 })
  expect({ cores, disk }).toEqual({ cores: reckon(load).cores, disk: reckon(load).disk })
  expect([unitCosts.mail.node, unitBytes.lead]).toEqual([expect.any(Number), expect.any(Number)])
})

test.each([
  [['--mails', 'many'], '--mails <number>', 'It must be a whole number from 0 to 999999999.'],
  [['--leads', '-1'], '--leads <number>', 'It must be a whole number from 0 to 999999999.'],
  [['--attempt-days', '0'], '--attempt-days <number>', 'It must be at least 1.'],
  [['--speed', '1'], "'--speed'", 'unknown option'],
])('size %j is refused with what is wrong', async (args, option, reason) => {
  const { code, stdout, stderr } = await run('size', ...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(option)
  expect(stderr).toContain(reason)
})

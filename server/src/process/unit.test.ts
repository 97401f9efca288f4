import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const repository = new URL('../../../', import.meta.url)
const unit = fileURLToPath(new URL('deploy/outrider.service', repository))
const lines = readFileSync(unit, 'utf8').split('\n')

test('the unit for systemd starts what there is, and tells the service alone to stop', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8'))
  expect(lines).toContain('ExecStart=/usr/bin/npm --silent start')
  const program = /^exec node (\S+) start$/.exec(scripts.start)?.[1]
  expect(existsSync(new URL(String(program), repository))).toBe(true)
  // To the whole group, its PostgreSQL would have to be started once more for the last results.
  expect(lines).toContain('KillMode=mixed')
})

test('the unit for systemd waits for the network and for a clock that is right', () => {
  expect(lines).toContain('After=network-online.target time-sync.target')
})

const analyze = '/usr/bin/systemd-analyze'
const canVerify = [analyze, '/usr/bin/npm'].every((path) => existsSync(path))

test.runIf(canVerify)('systemd finds nothing wrong with the unit', () => {
  const { status, stderr } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

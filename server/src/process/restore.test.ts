import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeDataDir, operatorJson, runOperator, startService } from '../../test/processes.ts'

// Whole processes start here, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

const heldLine = 'nothing is sent until "npx outrider sends confirm-restore"'

/** Starts and stops it. */
async function isHeld(DATA_DIR: string): Promise<boolean> {
  await using service = startService('main', { DATA_DIR })
  await service.address()
  const { stdout } = await runOperator(['doctor', '--json'], { DATA_DIR })
  const { checks } = JSON.parse(stdout)
  const isTold = checks.some(
    ({ check, status }: { check: string; status: string }) =>
      check === 'sending' && status === 'fail',
  )
  service.kill('SIGTERM')
  await service.exited
  expect(service.logLines.some(({ msg }) => msg === heldLine)).toBe(isTold)
  return isTold
}

test('a DATA_DIR that was put back sends nothing until somebody confirms it', async () => {
  const original = await makeDataDir()
  expect(await isHeld(original)).toBe(false)
  const copy = join(await makeDataDir(), 'data')
  await cp(original, copy, { recursive: true, preserveTimestamps: true })
  expect(await isHeld(copy)).toBe(true)
  await operatorJson(['sends', 'confirm-restore'], { DATA_DIR: copy })
  expect(await isHeld(copy)).toBe(false)
})

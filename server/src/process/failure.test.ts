import { expect, test } from 'vitest'
import { explainFailure } from './failure.ts'

/** As Node raises it: `ls -l` of DATA_DIR would show why. */
const refused = (code: string, what: string) =>
  Object.assign(new Error(`${code}: ${what}, mkdir '/srv/outrider'`), {
    ...{ code, syscall: 'mkdir', path: '/srv/outrider' },
  })

test.each([
  ['a read-only disk', refused('EROFS', 'read-only file system'), 'that can be written'],
  ['a folder of somebody else', refused('EACCES', 'permission denied'), 'as the user who owns it'],
  ['a file in its place', refused('ENOTDIR', 'not a directory'), 'set DATA_DIR to a directory'],
  ['a folder below a read-only one', refused('ENOENT', 'no such file or directory'), 'that can be'],
  ['a full disk', refused('ENOSPC', 'no space left on device'), 'make room on that disk'],
  [
    'a file that grows on a full disk',
    Object.assign(new Error('ENOSPC: no space left on device, write'), {
      ...{ code: 'ENOSPC', syscall: 'write', path: '/srv/outrider' },
    }),
    'make room on that disk',
  ],
  ['a quota that is used up', refused('EDQUOT', 'disk quota exceeded'), 'make room on that disk'],
])('%s is told in one sentence, with the path and what to do', (_what, error, remedy) => {
  const text = explainFailure(error)
  expect(text).toContain(remedy)
  expect(text).toContain('/srv/outrider')
  expect(text.split('\n')).toHaveLength(1)
})

test('a full disk of the database is told in one sentence, in the words of PostgreSQL', () => {
  const message = 'could not write to file "pg_wal/xlogtemp.7": No space left on device'
  // As the driver raises it.
  const error = Object.assign(new Error(message), { name: 'error', code: '53100' })
  expect(explainFailure(error)).toBe(`${message}: make room on the disk of the database.`)
})

test('a fault of the program is told with its stack', () => {
  const fault = new TypeError('x is not a function')
  expect(explainFailure(fault)).toBe(fault.stack)
})

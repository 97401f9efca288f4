import { expect, test } from 'vitest'
import { DraftRoom } from './draft-room.ts'

const megabyte = 1024 * 1024

/** Makes a mail of so many bytes. */
const draft = (room: DraftRoom, workspaceId: string, bytes: number) => async () =>
  room.take(workspaceId, bytes)

test('no workspace makes more mails than its third of the room, and others go on', async () => {
  const room = new DraftRoom()
  const frees = []
  for (let n = 0; n < 3; n++) frees.push(await room.make('one', draft(room, 'one', megabyte)))
  let isMade = false
  const next = room.make('one', draft(room, 'one', megabyte)).then(() => {
    isMade = true
  })
  const [free] = frees
  await room.make('other', draft(room, 'other', megabyte))
  expect(isMade).toBe(false)
  free?.()
  // Once more it gives nothing back.
  free?.()
  await next
  expect(await room.makeIfRoom('one', draft(room, 'one', megabyte))).toBeUndefined()
})

test('all together make no more than there is room for, however many begin at once', async () => {
  const room = new DraftRoom()
  let made = 0
  const workspaces = Array.from({ length: 100 }, (_, n) => `workspace ${n}`)
  const frees: (() => void)[] = []
  const all = workspaces.map(async (id) => {
    const free = await room.make(id, draft(room, id, megabyte))
    made += 1
    if (made > 8) free()
    else frees.push(free)
  })
  await Promise.all(all.slice(0, 8))
  expect(await room.makeIfRoom('last', draft(room, 'last', megabyte))).toBeUndefined()
  expect(made).toBe(8)
  for (const free of frees) free()
  await Promise.all(all)
  expect(made).toBe(100)
})

test('a mail that cannot be made takes no room, and keeps no other', async () => {
  const room = new DraftRoom()
  const failing = room.make('one', () => Promise.reject(new Error('no such variable')))
  await expect(failing).rejects.toThrow('no such variable')
  expect(await room.make('one', async () => 'made')).toBe('made')
})

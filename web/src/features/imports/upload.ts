import i18next from 'i18next'
import { useSyncExternalStore } from 'react'
import { whenConnected } from '../../api/connection.ts'
import type { Fault } from '../../api/fault.ts'
import { isFault, unreachable } from '../../api/fault.ts'
import { putImportPart } from '../../api/generated/sdk.gen.ts'
import type { Import } from '../../api/generated/types.gen.ts'
import { sessionSignal, whenSigningOut } from '../../api/sign-out.ts'
import { createListeners } from '../../lib/listeners.ts'

/** What this tab is sending; another one knows nothing of it. */
interface Upload {
  file: Blob
  sentBytes: number
  fault: Fault | undefined
}

const uploads = new Map<string, Upload>()
const listeners = createListeners()

function setUpload(id: string, upload: Upload | undefined) {
  if (upload) uploads.set(id, upload)
  else uploads.delete(id)
  listeners.tell()
}

export const useUpload = (id: string) =>
  useSyncExternalStore(listeners.subscribe, () => uploads.get(id))

whenSigningOut({
  lost() {
    const isUnderWay = [...uploads.values()].some(({ fault }) => !fault)
    return isUnderWay ? i18next.t(($) => $.shell.leaving.upload) : undefined
  },
  forget() {
    uploads.clear()
    listeners.tell()
  },
})

const attemptsMax = 5
const pauseMs = 1000

/**
 * Sends what is missing of a file, part by part, so that a part that gets lost is sent again and no
 * more than one lies in memory. It goes on while other pages are looked at. Where some of it was sent
 * before, one part of that is sent first: the server refuses the part of another file.
 *
 * @param onAnswer told what the server makes of it after each part
 */
export async function sendFile(
  workspaceId: string,
  { id, parts_missing, parts_total, part_bytes, file_bytes }: Import,
  file: Blob,
  onAnswer: (answer: Import) => void,
): Promise<void> {
  const known = Array.from({ length: parts_total }, (_, at) => at + 1).find(
    (number) => !parts_missing.includes(number),
  )
  const numbers = known === undefined ? parts_missing : [known, ...parts_missing]
  const parts = numbers.map((number) => ({
    number,
    part: file.slice((number - 1) * part_bytes, number * part_bytes),
  }))
  // Who signs in next has a session in which nothing of this is sent on.
  const signal = sessionSignal()
  // The last part of a file is seldom a whole one.
  let sentBytes = parts.reduce((left, { part }) => left - part.size, file_bytes)
  setUpload(id, { file, sentBytes, fault: undefined })
  for (const { number, part } of parts) {
    const answer = await sendPart(workspaceId, id, number, part, signal)
    if (signal.aborted) return
    if (isFault(answer)) return setUpload(id, { file, sentBytes, fault: answer })
    onAnswer(answer)
    // The first part has shown that the file is no list.
    if (answer.state === 'failed') break
    sentBytes += part.size
    setUpload(id, { file, sentBytes, fault: undefined })
  }
  setUpload(id, undefined)
}

async function sendPart(
  workspaceId: string,
  id: string,
  number: number,
  body: Blob,
  signal: AbortSignal,
): Promise<Import | Fault> {
  for (let attempt = 1; ; ) {
    // A browser sends nothing of a file that was changed or moved, and does not say why.
    if (!(await isReadable(body))) return unreadable()
    try {
      // Another workspace may be looked at by now.
      const headers = { 'X-Workspace-ID': workspaceId }
      const path = { id, number }
      const { data } = await putImportPart({ path, headers, body, signal })
      return data
    } catch (thrown) {
      const fault = isFault(thrown) ? thrown : unreachable
      const isSignedOut = fault.code === 'not_signed_in'
      if (signal.aborted) return fault
      if (!isSignedOut && (!isPassing(fault) || attempt === attemptsMax)) return fault
      const waitMs = isSignedOut ? 0 : Math.max(pauseMs * attempt, fault.retryAfterMs ?? 0)
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      // The page asks the person to sign in again, or waits for the server, however long that takes.
      await whenConnected()
      if (!isSignedOut) attempt += 1
    }
  }
}

const isReadable = (part: Blob) =>
  part
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

const unreadable = (): Fault => ({
  // 404, so that the notice offers no retry: the browser cannot read this file any more.
  ...{ ...unreachable, statusCode: 404 },
  message: i18next.t(($) => $.imports.changedFile),
})

/** Whether a part that was refused so may well be taken a moment later. */
const isPassing = ({ statusCode }: Fault) =>
  statusCode === 0 || statusCode === 429 || statusCode >= 500

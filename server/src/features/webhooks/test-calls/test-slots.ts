import type { Context } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { OutboundHttp } from '../../../kernel/outbound/index.ts'

/** A test of a receiver that hangs lasts as long as the deadline of a delivery. */
const ofWorkspaceMax = 8
const ofProcessMax = 64

interface UnderWay {
  total: number
  byWorkspace: Map<string, number>
}

/** Per HTTP client, of which a process has one: its connections are what tests must not use up. */
const underWay = new WeakMap<OutboundHttp, UnderWay>()

/**
 * A slot among the tests that are under way, until it is disposed of.
 *
 * @throws 429 `rate_limited` when the workspace has too many, 503 `unavailable` when all together have
 */
export function takeTestSlot({ http }: Context, workspaceId: string): Disposable {
  const tests = underWay.get(http) ?? { total: 0, byWorkspace: new Map<string, number>() }
  underWay.set(http, tests)
  const { byWorkspace } = tests
  const own = byWorkspace.get(workspaceId) ?? 0
  if (own >= ofWorkspaceMax) {
    throw new AppError(
      'rate_limited',
      `A workspace runs at most ${ofWorkspaceMax} webhook tests at once; wait until one has ended.`,
    )
  }
  if (tests.total >= ofProcessMax) {
    throw new AppError('unavailable', 'Too many webhook tests are under way; wait and try again.')
  }
  tests.total += 1
  byWorkspace.set(workspaceId, own + 1)
  return {
    [Symbol.dispose]() {
      tests.total -= 1
      const left = (byWorkspace.get(workspaceId) ?? 1) - 1
      if (left > 0) byWorkspace.set(workspaceId, left)
      else byWorkspace.delete(workspaceId)
    },
  }
}

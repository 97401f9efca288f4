import type { DeliveryConditions } from './conditions.ts'
import type { Counts, History, RecordedAttempt, StoredEvent } from './history.ts'
import type { Destination, Emission, Recorder } from './recorder.ts'

/** What the history must be, whatever happened. Each returns one sentence for each breach. */
export function checkHistory(
  history: History,
  recorder: Recorder,
  conditions: DeliveryConditions,
): string[] {
  const groups = Map.groupBy(history.attempts, ({ group }) => group)
  return [
    ...checkEmissions(history, recorder),
    ...checkPromises(history, recorder),
    ...checkDeliveries(history, groups),
    ...[...groups.values()].flatMap(checkGroup),
    ...[...groups.values()].flatMap((group) => checkDueTimes(group, recorder, conditions)),
    ...checkCounts(history),
    ...checkRequests(history, recorder, conditions),
  ]
}

/** A transaction that was answered is stored whole, one that was undone not at all. */
function checkEmissions({ events }: History, { emissions }: Recorder): string[] {
  const stored = Map.groupBy(events, ({ action }) => action)
  return [...emissions.values()].flatMap((emission) => {
    const { action, count } = emission
    // A standby that took over may lack what was answered.
    const isSure = !emission.stored || emission.committedAt !== undefined
    const expected = isSure ? emission.stored : undefined
    const found = stored.get(action)?.length ?? 0
    const allowed = expected === undefined ? [0, count] : [expected ? count : 0]
    if (allowed.includes(found)) return []
    return [`emission ${action}: ${found} events are stored, not ${allowed.join(' or ')}`]
  })
}

/**
 * Every stored event has a delivery to each destination that matched it from the beginning of its
 * transaction to the commit, and none to one that never did.
 */
function checkPromises(history: History, recorder: Recorder): string[] {
  const pairs = new Set(history.deliveries.map((one) => `${one.eventId} ${one.webhookId}`))
  return history.events.flatMap((event) => {
    const emission = recorder.emissions.get(event.action)
    if (!emission) return [`event ${event.id} was emitted by nobody`]
    const states = statesDuring(recorder, emission)
    const ids = new Set(states.flatMap(({ destinations }) => [...destinations.keys()]))
    return [...ids].flatMap((id) => {
      const matching = states.filter((state) => isMatch(state.destinations.get(id), event))
      const isThere = pairs.has(`${event.id} ${id}`)
      if (matching.length === states.length && !isThere) {
        return [`event ${event.id} of action ${event.action} has no delivery to ${id}`]
      }
      if (matching.length === 0 && isThere && !recorder.replayed.has(id)) {
        return [`event ${event.id} of action ${event.action} was never meant for ${id}`]
      }
      return []
    })
  })
}

function statesDuring({ states }: Recorder, { beganAt = 0, committedAt }: Emission) {
  const first = states.findLastIndex((state) => state.order <= beganAt)
  const after = states.findIndex((state) => state.order > (committedAt ?? Infinity))
  return states.slice(Math.max(0, first), after === -1 ? undefined : after)
}

const isMatch = (destination: Destination | undefined, event: StoredEvent) =>
  destination?.active &&
  destination.workspaceId === event.workspaceId &&
  (destination.eventType === 'all_events' || destination.eventType === event.type) &&
  (destination.campaign === null || destination.campaign === event.campaign)

/** Every delivery ends in a record that says so. */
function checkDeliveries(history: History, groups: Map<string, RecordedAttempt[]>): string[] {
  const { pending, fanouts } = history
  const open = history.deliveries.flatMap(({ id, eventId, webhookId }) => {
    const last = groups.get(id)?.at(-1)
    if (last && !last.willRetry) return []
    const what = last ? `stopped after attempt ${last.number}` : 'has no attempt'
    return [`delivery ${id} of ${eventId} to ${webhookId} ${what}`]
  })
  return [
    ...open,
    ...(pending > 0 ? [`${pending} deliveries are still pending`] : []),
    ...(fanouts > 0 ? [`${fanouts} fan-outs are still pending`] : []),
  ]
}

/** Numbered from 0 without a gap; at most one success, and that is the last. */
function checkGroup(group: RecordedAttempt[]): string[] {
  const shown = group.map(({ number, success }) => `${number}${success ? '+' : '-'}`).join(' ')
  const isWhole = group.every(({ number, success, willRetry }, at) => {
    const isLast = at === group.length - 1
    return number === at && (isLast || !success) && (isLast || willRetry)
  })
  return isWhole ? [] : [`the attempts of ${group[0]?.group} are ${shown}`]
}

/** `timestamp_next_retry` is a promise: no attempt comes before it. */
function checkDueTimes(
  group: RecordedAttempt[],
  recorder: Recorder,
  { skewMaxMs }: DeliveryConditions,
): string[] {
  return group.flatMap(({ number, success, tookMs, at, nextRetryAt: _ }, index) => {
    const due = group[index - 1]?.nextRetryAt
    // A success ends the row as it stands, also that of an attempt which is older than the row.
    if (!due || tookMs === null || success) return []
    // Its request was made when another database said when.
    if (!recorder.isTrusted(at.getTime() - tookMs)) return []
    const earlyMs = due.getTime() - (at.getTime() - tookMs)
    if (earlyMs <= 2 * skewMaxMs + 2) return []
    return [`attempt ${number} of ${group[0]?.group} came ${Math.round(earlyMs)} ms too early`]
  })
}

/** Exactly the attempts, by workspace or destination, date and outcome. */
function checkCounts({ attempts, counts }: History): string[] {
  const expected: Counts = new Map()
  for (const { workspaceId, webhookId, at, success } of attempts) {
    for (const id of [workspaceId, webhookId]) {
      const key = `${id} ${at.toISOString().slice(0, 10)} ${success ? 'succeeded' : 'failed'}`
      expected.set(key, (expected.get(key) ?? 0) + 1)
    }
  }
  const keys = new Set([...expected.keys(), ...counts.keys()])
  return [...keys].flatMap((key) => {
    const [counted, recorded] = [counts.get(key) ?? 0, expected.get(key) ?? 0]
    return counted === recorded ? [] : [`${key}: ${counted} counted, ${recorded} recorded`]
  })
}

/**
 * Every answer that a living process got is recorded, unless another process settled the delivery
 * before. In calm conditions no request is made twice.
 */
function checkRequests(
  history: History,
  recorder: Recorder,
  { calm }: DeliveryConditions,
): string[] {
  const key = (one: { eventId: string; webhookId: string }) => `${one.eventId} ${one.webhookId}`
  const live = recorder.requests.filter(({ test }) => !test)
  const sent = Map.groupBy(live, key)
  const recorded = Map.groupBy(history.attempts, key)
  const known = new Set(history.events.map(({ id }) => id))
  return [...sent].flatMap(([pair, made]) => {
    // A standby took over that lacks the event: a runner had read it before, and may send it for long.
    if (!known.has(made[0]?.eventId ?? '')) return []
    const attempts = recorded.get(pair) ?? []
    const count = attempts.filter(({ tookMs }) => tookMs !== null).length
    if (count > made.length) return [`${pair}: ${count} attempts of ${made.length} requests`]
    const [first] = made
    const isOfOne =
      first?.process.alive &&
      made.every(({ process, answered }) => process === first.process && answered) &&
      attempts.every(({ id }) => recorder.recorders.get(id) === first.process)
    // A runner that was stopped does not wait for ever: what it waited for is sent again, and recorded
    // if the answer still finds it.
    const answered = made.filter((request) => request.answered).length
    if (!(calm || isOfOne) || count >= answered) return []
    const shown = made.map(({ process, atMs }) => `${process.label} at ${Math.round(atMs)} ms`)
    return [`${pair}: ${made.length} requests (${shown.join(', ')}), ${count} of them recorded`]
  })
}

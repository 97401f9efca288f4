import type { History } from './history.ts'
import { type Fact, isSame, type Key, type Recorder } from './recorder.ts'

/** What the history must be, whatever happened. Each returns one sentence for each breach. */
export function checkHistory(history: History, recorder: Recorder): string[] {
  return [
    ...checkLedger(history, recorder),
    ...checkFacts(history, recorder),
    ...checkLetters(history, recorder),
    ...checkMessages(history, recorder),
    ...checkCounts(history),
  ]
}

/** What a server took is recorded, and what is recorded as sent was taken. */
function checkLedger({ sends, open }: History, recorder: Recorder): string[] {
  const { accepted, repeated, confirmed } = recorder
  const isRepeated = (key: Key) => repeated.some((each) => isSame(each, key))
  const lost = accepted.flatMap((mail) => {
    // What a standby lacked is not the service's to know.
    if (mail.isLost) return []
    const send = sends.find((each) => isSame(keyOf(each), mail))
    if (send?.state === 'sent' || send?.state === 'uncertain' || isRepeated(mail)) return []
    return [`${describe(recorder, mail)} was taken and is recorded as ${send?.state}`]
  })
  const unknown = [...recorder.lost, ...recorder.withoutMessage]
  const made = sends.filter(({ state }) => state === 'sent').map(keyOf)
  const untrue = made.flatMap((key) => {
    const isTaken = accepted.some((mail) => isSame(mail, key))
    // Its provider's copy of a mail that the standby lacks is taken for this one.
    const isMistaken = unknown.some(({ leadId }) => leadId === key.leadId)
    if (isTaken || isMistaken || confirmed.has(`${key.leadId} ${key.stepId}`)) return []
    return [`${describe(recorder, key)} is recorded as sent and was not taken`]
  })
  return [...lost, ...untrue, ...(open > 0 ? [`${open} mails are still under way`] : [])]
}

/** Every mail that counts as sent is told of once, and once more if it was to be sent again. */
function checkFacts({ sends }: History, recorder: Recorder): string[] {
  const { facts, repeated, takenBack } = recorder
  const again = [...repeated, ...takenBack]
  const told = Map.groupBy(
    facts.filter(({ type }) => type === 'email.sent'),
    ({ about }) => about ?? '',
  )
  const keys = new Map([...told].map(([messageId, of]) => [recorder.keyOf(messageId), of.length]))
  return sends.flatMap((send) => {
    const key = keyOf(send)
    const count = [...keys].find(([each]) => each && isSame(each, key))?.[1] ?? 0
    const least = send.state === 'sent' || send.state === 'uncertain' ? 1 : 0
    const most = least + again.filter((each) => isSame(each, key)).length
    if (count >= least && count <= most) return []
    return [`${describe(recorder, key)} is ${send.state} and was told ${count} times`]
  })
}

const letterFacts: Record<string, string> = {
  writer: 'lead.replied',
  shy: 'lead.replied',
  stopper: 'lead.replied',
  absent: 'lead.auto_replied',
  away: 'lead.auto_replied',
}

/** Every letter has its effect once, whoever read it when and how often. */
function checkLetters({ leads }: History, recorder: Recorder) {
  const { letters: all, facts, forgotten, takenBack } = recorder
  const letters = new Map([...all].filter(([, { to }]) => !forgotten.has(to)))
  const found = [...letters].flatMap(([messageId, { character, to }]) => {
    const type = letterFacts[character]
    const count = facts.filter(({ letter }) => letter === messageId).length
    if (type === undefined || count === 1) return []
    return [`the letter ${messageId} of ${to} was told ${count} times`]
  })
  const reported = leads.flatMap(({ id, email }) => {
    if (forgotten.has(email) || recorder.isMovedAway(id)) return []
    const lead = recorder.leads.get(id)
    if (!lead) return [`${email} was added without a commit`]
    const campaigns = recorder.campaignsOf(lead)
    const isOwn = (fact: Fact) => fact.email === email && campaigns.has(fact.campaignId)
    const bounced = facts.filter((fact) => fact.type === 'email.bounced' && isOwn(fact)).length
    const reported = [...letters.values()].filter(
      ({ to, character }) => to === email && (character === 'gone' || character === 'full'),
    )
    const reports = reported.length
    // Nothing final follows from what names no mail of ours.
    const least = reported.filter(({ isCited }) => isCited).length
    // Who was slow to say that a step was refused may find the next one claimed: it is refused as well.
    const slow = takenBack.filter(({ leadId }) => recorder.leads.get(leadId)?.email === email)
    // Whose suppression was undone meets the same again.
    const again = recorder.undone.has(email) ? Number.POSITIVE_INFINITY : 0
    const most = (email.startsWith('unknown-') ? 1 + slow.length : reports) + again
    const left = facts.filter((fact) => fact.type === 'lead.unsubscribed' && isOwn(fact)).length
    return [
      ...(bounced > most || bounced < least
        ? [`${email}: ${reports} reports, told ${bounced} times`]
        : []),
      // Each lead that the person was is told of.
      ...(left > campaigns.size + again ? [`${email} unsubscribed ${left} times`] : []),
    ]
  })
  const wishes = [...letters.values()].flatMap(({ character, to, isCited }) => {
    if (!isCited || (character !== 'stopper' && character !== 'angry')) return []
    const isHeard = facts.some(({ type, email }) => type === 'lead.unsubscribed' && email === to)
    // Who cites an id that a provider made and nobody has learnt may be anybody: it is suggested.
    const isSeen = leads.some(({ email, suggestion }) => email === to && suggestion !== null)
    return isHeard || isSeen ? [] : [`${to} wants no more mail, and nobody knows`]
  })
  return [...found, ...reported, ...wishes]
}

/** Each mail that was sent or belongs to a conversation is kept once, and no other. */
function checkMessages({ sends, messages }: History, recorder: Recorder): string[] {
  const incoming = messages.filter(({ direction }) => direction === 'in')
  const kept = incoming.flatMap(({ message_id, count }) => {
    if (!recorder.letters.has(message_id)) return [`${message_id} is kept and is nobody's`]
    return count === 1 ? [] : [`${message_id} is kept ${count} times`]
  })
  const missing = [...recorder.letters].flatMap(([id, { to }]) =>
    recorder.forgotten.has(to) || incoming.some(({ message_id }) => message_id === id)
      ? []
      : [`${id} is not kept`],
  )
  const out = messages.filter(({ direction }) => direction === 'out')
  const counted = sends.filter(({ state }) => state === 'sent' || state === 'uncertain')
  const unkept = counted.flatMap((send) => {
    const key = keyOf(send)
    const same = out.filter(({ message_id }) => {
      const of = recorder.keyOf(message_id)
      return of && isSame(of, key)
    })
    const again = [...recorder.repeated, ...recorder.takenBack]
    const repeats = again.filter((each) => isSame(each, key)).length
    const count = same.reduce((sum, each) => sum + each.count, 0)
    if (count >= 1 && count <= 1 + repeats) return []
    return [`${describe(recorder, key)} is kept ${count} times`]
  })
  return [...kept, ...missing, ...unkept]
}

function checkCounts({ counts, failures }: History): string[] {
  const wrong = counts.flatMap(({ campaign_id, counted, kept }) =>
    counted === kept ? [] : [`campaign ${campaign_id}: leads ${counted}, counters ${kept}`],
  )
  if (failures.errors === failures.failed) return wrong
  return [...wrong, `${failures.failed} failures of mailboxes, told ${failures.errors} times`]
}

const keyOf = ({ lead_id, step_id }: { lead_id: string; step_id: string }): Key => ({
  leadId: lead_id,
  stepId: step_id,
})

const describe = ({ leads }: Recorder, { leadId, stepId }: Key) =>
  `step …${stepId.slice(-4)} to ${leads.get(leadId)?.email}`

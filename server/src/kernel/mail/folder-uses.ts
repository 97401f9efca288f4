import type { ListResponse } from 'imapflow'
import { names } from 'imapflow/lib/special-use.js'
import { fold } from '../fold.ts'
import type { MailFolder, SpecialUse } from './mail.ts'

/** Of RFC 6154, and the inbox. */
const specialUses: Record<string, SpecialUse> = {
  '\\Inbox': 'inbox',
  '\\Junk': 'junk',
  '\\Sent': 'sent',
  '\\All': 'all',
  '\\Archive': 'archive',
  '\\Trash': 'trash',
  '\\Drafts': 'drafts',
}

/**
 * What imapflow knows folders by, where the server does not say: a client that writes no accents calls its
 * folder by one of these names as well.
 */
const usesByName = new Map(
  Object.entries(names).flatMap(([use, all]) => all.map((name) => [fold(name), use] as const)),
)

/**
 * Folders with what they are for. Where neither the server nor imapflow says, their names do: each use that
 * no folder has yet goes to one, the uppermost, as imapflow does it.
 */
export function withUses(listed: ListResponse[]): MailFolder[] {
  const taken = new Set(listed.map(({ specialUse }) => specialUse))
  const named = new Map<string, string>()
  for (const { path, name, specialUse } of listed.toSorted(
    (a, b) => a.parent.length - b.parent.length,
  )) {
    const use = usesByName.get(fold(name))
    if (specialUse || use === undefined || taken.has(use)) continue
    named.set(path, use)
    taken.add(use)
  }
  return listed.map(({ path, specialUse }) => ({
    path,
    specialUse: specialUses[specialUse || (named.get(path) ?? '')] ?? null,
  }))
}

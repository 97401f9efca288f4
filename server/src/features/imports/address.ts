import { parseEmail } from '../../kernel/email.ts'

/**
 * `Ann <ann@example.com>` and `mailto:ann@example.com` are how some programs write an address. A cell with
 * two of them stays as it is, which is none: nobody knows which of the people the row is about.
 */
export function addressIn(cell: string): string {
  const [, name = '', bracketed] = /^([^<>]*)<([^<>]+)>\s*$/.exec(cell) ?? []
  const address = (bracketed ?? cell).trim().replace(/^mailto:/i, '')
  return namesAnother(name, address) ? cell.trim() : address
}

/** Programs that know no name write the address in its place. */
function namesAnother(name: string, address: string): boolean {
  const folded = parseEmail(address)?.folded
  const named = name.split(/[\s,;"()]+/).map((word) => parseEmail(word.replace(/^'|'$/g, '')))
  return named.some((other) => other !== undefined && other.folded !== folded)
}

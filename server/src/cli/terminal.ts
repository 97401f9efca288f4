import { createInterface } from 'node:readline/promises'

/** Results: JSON or a table, and nothing else. */
export const print = (text: string) => process.stdout.write(`${text}\n`)

/** What is said about the work. */
export const tell = (text: string) => process.stderr.write(`${text}\n`)

/** False also where nobody can answer. */
export async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    // Ctrl-C and Ctrl-D end the question, and are no answer.
    const answer = await lines.question(`${question} [y/N] `).catch(() => '')
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}

export type Cell = string | number | boolean | Date | string[] | null | undefined

/** A longer cell moves what follows it in its own line, and in no other. */
const alignedMax = 80

/** Columns as wide as their longest cell. */
export function formatTable(headings: string[], rows: Cell[][]): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map(toTexts)]
  // By one line after another: a call takes some 100,000 arguments, and a ledger has more lines.
  const widths = headings.map((_, i) =>
    lines.reduce((widest, line) => {
      const length = lengthOf(line[i])
      return length > alignedMax ? widest : Math.max(widest, length)
    }, 0),
  )
  return lines
    .map((line) =>
      line
        .map((text, i) => pad(text, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One line for each field. */
export function formatRecord(fields: Record<string, Cell>): string {
  const names = Object.keys(fields)
  const width = Math.max(...names.map((name) => name.length))
  return names.map((name) => `${pad(name, width)}  ${formatCell(fields[name])}`).join('\n')
}

const toTexts = (row: Cell[]) => row.map(formatCell)

function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-'
  if (cell instanceof Date) return cell.toISOString()
  if (typeof cell === 'boolean') return cell ? 'on' : 'off'
  // A name from the database must not move the cursor, change the colours or turn the direction.
  return String(cell).replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '�')
}

const lengthOf = (text = '') => [...text].length
const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - lengthOf(text)))

import type { WebhookRequest } from '../../api/generated/types.gen.ts'

/** For a POSIX shell. Headers whose values are masked stay so, to be filled in. */
export function asCurl({ url, headers, body, signed }: WebhookRequest): string {
  const fresh = new Map((signed ?? []).map(({ name, value }) => [name, value]))
  const lines = headers.map(
    ({ name, value }) => `-H ${quoted(`${name}: ${fresh.get(name) ?? value}`)}`,
  )
  return [`curl ${quoted(url)}`, ...lines, `--data-raw ${quoted(body ?? '')}`].join(' \\\n  ')
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

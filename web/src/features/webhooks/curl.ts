import type { WebhookRequest } from '../../api/generated/types.gen.ts'

/**
 * For a POSIX shell. Headers whose values are masked stay so, to be filled in. Brackets and braces of an
 * address would be ranges and choices to curl.
 */
export function asCurl({ url, headers, body, signed }: WebhookRequest): string {
  const fresh = new Map((signed ?? []).map(({ name, value }) => [name, value]))
  const lines = headers.map(
    ({ name, value }) => `-H ${quoted(`${name}: ${fresh.get(name) ?? value}`)}`,
  )
  return [`curl --globoff ${quoted(url)}`, ...lines, `--data-raw ${quoted(body ?? '')}`].join(
    ' \\\n  ',
  )
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

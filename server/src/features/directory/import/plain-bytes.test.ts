import { expect, test } from 'vitest'
import { isPlainAddress } from './plain-bytes.ts'
import { foldAddress, readText } from './values.ts'

const isPlain = (text: string) => {
  const bytes = Buffer.from(text)
  return isPlainAddress(bytes, 0, bytes.length)
}

const parts = [
  'a',
  'z9',
  'xn--a',
  '-',
  '--',
  '.',
  '..',
  '@',
  '_',
  '%',
  '+',
  'A',
  'é',
  ' ',
  '1',
  '\0',
]
const labels = ['a'.repeat(63), 'a'.repeat(64), `${'a.'.repeat(90)}a`]

/** Every text of up to five of the parts. */
function* texts(length = 5, before = ''): Generator<string> {
  if (length === 0) return
  for (const part of [...parts, ...(length > 3 ? labels : [])]) {
    yield before + part
    yield* texts(length - 1, before + part)
  }
}

test('what is taken as it lies there is an address that reading and folding leave as it is', () => {
  let plain = 0
  for (const text of texts()) {
    for (const address of [text, `${text}.example`, `p@${text}.example`]) {
      if (!isPlain(address)) continue
      plain++
      if (readText('email', address) === address && foldAddress(address) === address) continue
      expect.fail(`${address} is folded to ${foldAddress(address)}`)
    }
  }
  expect(plain).toBeGreaterThan(1000)
})

test.each([
  'ada@a.example',
  'p1.2@dalo-ka-9.example',
  'first.last+tag@mail.a.co',
  'a_b%c@1a.example',
])('%s is one', (address) => expect(isPlain(address)).toBe(true))

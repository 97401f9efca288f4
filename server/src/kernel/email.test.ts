import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEmail } from './email.ts'

const label = 'a'.repeat(63)

describe('an address that mail can reach is accepted', () => {
  test.each([
    ['ann@example.com', 'ann@example.com', 'example.com'],
    ['  Ann.Smith@EXAMPLE.Com\n', 'ann.smith@example.com', 'example.com'],
    ['ann+tag@example.co.uk', 'ann+tag@example.co.uk', 'example.co.uk'],
    ["o'brien_-%!#$&*/=?^`{|}~@example.com", "o'brien_-%!#$&*/=?^`{|}~@example.com", 'example.com'],
    ['-ann-@example.com', '-ann-@example.com', 'example.com'],
    ['1@1.example', '1@1.example', '1.example'],
    ['Müller@Bücher.DE', 'müller@xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['Mu\u0308ller@Bu\u0308cher.de', 'müller@xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['ann@XN--BCHER-KVA.de', 'ann@xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['用户@例え。jp', '用户@xn--r8jz45g.jp', 'xn--r8jz45g.jp'],
    ['अजय@डाटा.भारत', 'अजय@xn--c2bd1gb.xn--h2brj9c', 'xn--c2bd1gb.xn--h2brj9c'],
    ['ΑΘΗΝΑ@faß.de', 'αθηνα@xn--fa-hia.de', 'xn--fa-hia.de'],
    ['J\u030c@example.com', '\u01f0@example.com', 'example.com'],
    ['IŞIK@example.com', 'işik@example.com', 'example.com'],
    [`${'a'.repeat(64)}@${label}.com`, `${'a'.repeat(64)}@${label}.com`, `${label}.com`],
  ])('%s', (text, folded, domain) => {
    expect(parseEmail(text)).toEqual({ email: text.trim(), folded, domain })
  })
})

describe('what is not one bare address is refused', () => {
  test.each([
    [''],
    ['ann'],
    ['@'],
    ['ann@'],
    ['@example.com'],
    ['ann@localhost'],
    ['ann@example.com.'],
    ['ann@.example.com'],
    ['ann@example..com'],
    ['ann@-example.com'],
    ['ann@example-.com'],
    ['ann@example.c'],
    ['ann@example.123'],
    ['ann@192.0.2.1'],
    ['ann@1.2'],
    ['ann@example.0x10'],
    ['ann@[192.0.2.1]'],
    ['ann@[IPv6:2001:db8::1]'],
    ['ann@exam_ple.com'],
    ['ann@ex%61mple.com'],
    ['ann@example.com/path'],
    ['ann@example.com:25'],
    ['ann@example.com?x'],
    ['ann@example.com#x'],
    ['ann@exam\tple.com'],
    ['ann@exam\u00adple.com'],
    ['ann@exam\u200bple.com'],
    ['ann@example.com, bob@example.com'],
    ['ann@bob@example.com'],
    ['.ann@example.com'],
    ['ann.@example.com'],
    ['ann..smith@example.com'],
    ['ann smith@example.com'],
    ['ann\u00a0smith@example.com'],
    ['ann\u202esmith@example.com'],
    ['ann\u200b@example.com'],
    ['ann\0@example.com'],
    ['ann\u0085@example.com'],
    ['ann\ud800@example.com'],
    ['"ann"@example.com'],
    ['"ann smith"@example.com'],
    ['ann(work)@example.com'],
    ['Ann <ann@example.com>'],
    ['<ann@example.com>'],
    ['mailto:ann@example.com'],
    ['a\\b@example.com'],
    [`${'a'.repeat(65)}@example.com`],
    [`${'é'.repeat(33)}@example.com`],
    [`ann@${label}a.com`],
    [`a@${`${label}.`.repeat(4)}com`],
    [`ann@${`${'ü'.repeat(40)}.`.repeat(6)}de`],
  ])('%j', (text) => {
    expect(parseEmail(text)).toBeUndefined()
  })
})

test('an address has at most 254 characters, and an astral one counts once', () => {
  const domain = `${`${'b'.repeat(60)}.`.repeat(3)}eeeeee`
  const longest = `${'a'.repeat(64)}@${domain}`
  expect(longest.length).toBe(254)
  expect(parseEmail(`  ${longest}  `)).toBeDefined()
  expect(parseEmail(`${longest}e`)).toBeUndefined()
  const astral = `${'𠀀'.repeat(16)}@${domain}${'e'.repeat(48)}`
  expect([...astral].length).toBe(254)
  expect(parseEmail(astral)).toBeDefined()
})

const atom = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'abcXYZ019!#$%&*+-/=?^_`{|}~', 'é', 'É', 'ß', 'Σ', 'ς', 'İ', 'ı', '用'),
    fc.constantFrom('e\u0301', 'A\u030a', '\u212b', '\u212a', '\u1e9e', '\ufb03', 'ǅ', 'J\u030c'),
  ),
  minLength: 1,
  maxLength: 8,
})
const address = fc
  .tuple(
    fc.array(atom, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('example.com', 'Bücher.example', 'BÜCHER.EXAMPLE', 'xn--bcher-kva.example'),
  )
  .map(([atoms, domain]) => `${atoms.join('.')}@${domain}`)
  .filter((text) => parseEmail(text) !== undefined)

test('folding is stable, and spelling it otherwise is the same address', () => {
  fc.assert(
    fc.property(address, (text) => {
      const folded = parseEmail(text)?.folded
      expect(parseEmail(folded ?? '')?.folded).toBe(folded)
      expect(parseEmail(text.normalize('NFD'))?.folded).toBe(folded)
      expect(parseEmail(` ${text}\t`)?.folded).toBe(folded)
    }),
  )
})

test('any text is answered, and what is accepted holds no blank and one address', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(fc.string({ unit: 'binary' }), fc.string()).map(([a, b]) => `${a}@${b}.com`),
  )
  fc.assert(
    fc.property(text, (input) => {
      const parsed = parseEmail(input)
      if (!parsed) return
      expect(parsed.email).toBe(input.trim())
      expect(parsed.folded).toMatch(/^[^\s\p{Cc}\p{Cf}@]+@[a-z\d.-]+\.[a-z][a-z\d-]+$/u)
      expect(parsed.folded.endsWith(`@${parsed.domain}`)).toBe(true)
    }),
  )
})

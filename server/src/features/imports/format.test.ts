import { expect, test } from 'vitest'
import { readFormat } from './format.ts'

const text = 'E-Mail;Vorname;Größe\njürgen@example.com;Jürgen;groß\n'
const utf16 = (littleEndian: boolean, mark: boolean, value = text) => {
  const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${value}`, 'utf16le')
  return littleEndian ? bytes : bytes.swap16()
}

test.each([
  ['UTF-8', Buffer.from(text), 'utf-8'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), 'utf-8'],
  ['what Excel writes on Windows', Buffer.from(text, 'latin1'), 'windows-1252'],
  ['UTF-16 with a mark', utf16(true, true), 'utf-16le'],
  ['UTF-16 the other way round', utf16(false, true), 'utf-16be'],
  ['UTF-16 without a mark', utf16(true, false), 'utf-16le'],
  ['UTF-16 the other way round without a mark', utf16(false, false), 'utf-16be'],
])('%s is read', async (_what, bytes, encoding) => {
  const { format, preview } = await readFormat(bytes)
  expect(format).toEqual({ encoding, delimiter: ';', heading_row: 1 })
  expect(preview.headings).toEqual(['E-Mail', 'Vorname', 'Größe'])
  expect(preview.rows).toEqual([['jürgen@example.com', 'Jürgen', 'groß']])
})

test.each([
  ['commas', 'email,name\na@x.example,"Ann, A."\n', ',', ['a@x.example', 'Ann, A.']],
  ['tabs', 'email\tname\na@x.example\tAnn\n', '\t', ['a@x.example', 'Ann']],
  [
    'semicolons that are announced',
    'sep=;\r\nemail;name\r\na@x.example;A,nn\r\n',
    ';',
    ['a@x.example', 'A,nn'],
  ],
  ['notes above', 'Export of 2026\n\nname,email\nAnn,a@x.example\n', ',', ['Ann', 'a@x.example']],
  ['old line ends', 'email,name\ra@x.example,Ann\r', ',', ['a@x.example', 'Ann']],
])('%s are understood', async (_what, file, delimiter, row) => {
  const { format, preview } = await readFormat(Buffer.from(file))
  expect(format.delimiter).toBe(delimiter)
  expect(preview.rows).toEqual([row])
})

test('a list without headings has numbered columns, and its first row is one of it', async () => {
  const { format, preview } = await readFormat(
    Buffer.from('ann@x.example,Ann\nbob@x.example,Bob\n'),
  )
  expect(format.heading_row).toBe(0)
  expect(preview.headings).toEqual(['Column 1', 'Column 2'])
  expect(preview.rows).toHaveLength(2)
})

test.each([
  ['Name, Vorname;E-Mail\nDoe, Ann;ann@x.example\n', ['Doe, Ann', 'ann@x.example']],
  [
    '"Email";"Company, legal name";"City, country"\n"ann@x.example";"Acme, Inc.";"Rome, Italy"\n',
    ['ann@x.example', 'Acme, Inc.', 'Rome, Italy'],
  ],
  [
    'Email;Full name;Address (street, zip, city, country)\nann@x.example;Ann;"1, Via A, Rome"\n',
    ['ann@x.example', 'Ann', '1, Via A, Rome'],
  ],
  ['ann@x.example;Acme, Inc.\nbob@x.example;Foo\n', ['ann@x.example', 'Acme, Inc.']],
  ['Email|Note; more, or less\nann@x.example|a; b, c\n', ['ann@x.example', 'a; b, c']],
  [
    'Sent by,ann@ours.example\nEmail;Name\nann@x.example;Doe, Ann\nbob@x.example;Bob\n',
    ['ann@x.example', 'Doe, Ann'],
  ],
  [
    'Company,Email,City\nAcme,a@x.example; b@x.example; c@x.example,Rome\n',
    ['Acme', 'a@x.example; b@x.example; c@x.example', 'Rome'],
  ],
  ['ann@x.example;Website, Email\nbob@x.example;Fax\n', ['ann@x.example', 'Website, Email']],
  ['First name;City, country\nAnn;Rome, Italy\n', ['Ann', 'Rome, Italy']],
  ['Un;Deux, ou trois\nA;b\nC;d\n', ['A', 'b']],
])('a separator within cells parts no columns of %j', async (file, row) => {
  expect((await readFormat(Buffer.from(file))).preview.rows[0]).toEqual(row)
})

test.each([
  ['Exported by Ann <ann@ours.example>\nEmail;First Name\nann@x.example;Ann\n', 2],
  ['Sent by,ann@ours.example\n\nEmail,First Name\nann@x.example,Ann\n', 3],
  ['Company\nask ann@ours.example\nann@ours.example\nEmail,City\nann@x.example,Rome\n', 4],
])('an address in a note above the headings is no person: %j', async (file, heading_row) => {
  const { format, preview } = await readFormat(Buffer.from(file))
  expect([format.heading_row, preview.headings[0]]).toEqual([heading_row, 'Email'])
  expect(preview.rows).toHaveLength(1)
})

test('of two exports that are joined the first headings hold, and nobody below them is lost', async () => {
  const file = 'Email,Nom\nann@x.example,Ann\nEmail,Phone\nbob@x.example,1\n'
  const { format, preview } = await readFormat(Buffer.from(file))
  expect([format.heading_row, preview.headings]).toEqual([1, ['Email', 'Nom']])
  expect(preview.rows).toHaveLength(3)
})

test.each(['{{email}},{{first_name}}', '[Email],[First Name]', '[[Email]],[[First Name]]'])(
  'headings that are written as %s are no JSON',
  async (headings) => {
    const { preview } = await readFormat(Buffer.from(`${headings}\nann@x.example,Ann\n`))
    expect(preview).toEqual({ headings: headings.split(','), rows: [['ann@x.example', 'Ann']] })
  },
)

test.each([
  ['ann@x.example,Referral\nbob@x.example,Website\ncy@x.example,Event\n', 'Column 1', 3],
  ['Ann <ann@x.example>,Website\nBob <bob@x.example>,Event\n', 'Column 1', 2],
  ['Courriel,Source\nann@x.example,Website\nbob@x.example,Event\n', 'Courriel', 2],
  ['ann@x.example,Phone\n,Email\nbob@x.example,Phone\n', 'Column 1', 3],
])(
  'a row with an address in it names no columns, whatever its words: %j',
  async (file, first, rows) => {
    const { preview } = await readFormat(Buffer.from(file))
    expect([preview.headings[0], preview.rows.length]).toEqual([first, rows])
  },
)

test('a filled column at the right that has no heading can be mapped, and empty ones are not shown', async () => {
  const later = 'ann@x.example,Ann,,,\n'.repeat(100)
  const file = `email,first_name,,,\n${later}bob@x.example,Bob,VIP,,\n`
  const { preview } = await readFormat(Buffer.from(file))
  expect(preview.headings).toEqual(['email', 'first_name', 'Column 3'])
})

test.each([
  ['Courriel;Prénom\nann@x.example;Ann\n', ['Courriel', 'Prénom']],
  ['ann@x.example;Ann\n', ['Column 1', 'Column 2']],
])(
  'the line that announces the separator is neither headings nor a row of %j',
  async (file, headings) => {
    const { preview } = await readFormat(Buffer.from(`sep=;\n${file}`))
    expect(preview).toEqual({ headings, rows: [['ann@x.example', 'Ann']] })
  },
)

test('somebody who knows the encoding better is believed', async () => {
  const bytes = Buffer.from('email,name\na@x.example,\u0142\u00f3d\u017a\n', 'latin1')
  expect((await readFormat(bytes, 'windows-1250')).format.encoding).toBe('windows-1250')
  await expect(readFormat(bytes, 'klingon')).rejects.toThrow('encoding must be one')
})

test.each([
  ['a workbook', Buffer.from('504b03040a000000', 'hex'), 'Excel workbook'],
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'Excel workbook'],
  ['a compressed file', Buffer.from('1f8b0800', 'hex'), 'compressed'],
  ['a PDF', Buffer.from('%PDF-1.7'), 'PDF'],
  ['a picture called CSV', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'no text file'],
  ['JSON', Buffer.from('[{"email":"a@x.example"}]'), 'JSON'],
  ['JSON of several lines', Buffer.from('[\n  {\n    "email": "a@x.example"\n  }\n]'), 'JSON'],
  ['JSON in lines', Buffer.from('{"email":"a@x.example"}\n{"email":"b@x.example"}\n'), 'JSON'],
  ['JSON of lists', Buffer.from('[["email"],["a@x.example"]]'), 'JSON'],
  ['headings alone', Buffer.from('email,name\n'), 'no rows below'],
  ['1,001 columns', Buffer.from(`${'email,'.repeat(1000)}email\na@x.example\n`), '1,000 columns'],
  [
    'a quote that the first row opens and no row closes',
    Buffer.from('email,name\na@x.example,"Ann\nb@x.example,"Bob\n'),
    'a quote in row 2 that is not closed',
  ],
  ['nothing but line ends', Buffer.from('\n\n\n'), 'no rows'],
])('%s is refused with what to do', async (_what, bytes, message) => {
  await expect(readFormat(bytes)).rejects.toThrow(message)
})

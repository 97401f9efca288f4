import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../../test/context.ts'
import {
  type Content,
  companiesIn,
  contactsIn,
  emptyDirectory,
  importText,
} from '../../../../test/directory-files.ts'
import { searchDirectory } from '../search.ts'
import { parseColumnMap } from './columns.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())
beforeEach(() => emptyDirectory(ctx))

const find = async (query: string) =>
  (await searchDirectory(ctx.db, { query }, { limit: 100, startingAfter: undefined })).items.map(
    ({ first_name, last_name }) => `${first_name ?? ''} ${last_name ?? ''}`.trim(),
  )
const emails = async () => (await contactsIn(ctx)).map(({ email }) => email)

const csv = `first_name,last_name,title,company,domain,email,city,country
Ada,Lovelace,"Head of ""Engines"", London",Analytical,analytical.example,ada@analytical.example,London,UK
Zoë,Åström,,Analytical,analytical.example,zoe@analytical.example,Malmö,Sweden
محمد,كريم,مدير المبيعات,شركة النور,noor.example,m@noor.example,القاهرة,مصر
花子,山田,営業部長,山田商事,yamada.example,hanako@yamada.example,東京,日本
דוד,כהן,מנהל,כהן בע״מ,cohen.example,david@cohen.example,חיפה,ישראל
`
const rows = csv
  .trimEnd()
  .split('\n')
  .map((line) => line.replace('"Head of ""Engines"", London"', 'TITLE').split(','))
  .map((fields) => fields.map((field) => field.replace('TITLE', 'Head of "Engines", London')))
const objects = rows
  .slice(1)
  .map((row) => Object.fromEntries(row.map((field, at) => [rows[0]?.[at], field])))
const ndjson = objects.map((object) => `${JSON.stringify(object)}\n`).join('')
const delimited = (delimiter: string) =>
  rows
    .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(delimiter))
    .join('\r\n')

const formats: [string, Content][] = [
  ['CSV', csv],
  ['CSV with semicolons', delimited(';')],
  ['CSV with tabs', delimited('\t')],
  ['CSV with bars', delimited('|')],
  ['CSV with a byte order mark', `\ufeff${csv}`],
  ['CSV in UTF-16', Buffer.from(`\ufeff${csv}`, 'utf16le')],
  [
    'CSV of which every line ends another way',
    csv.replace('\n', '\r\n').replace(/\n(?=محمد)/, '\r'),
  ],
  ['CSV below a few notes', `Exported by somebody\n\nPage 1 of 1, all rights reserved\n${csv}`],
  ['CSV with rows of nothing', csv.replace('\n', '\n\n,,,\n ,  , ,,,,,,,\n')],
  ['CSV, compressed', gzipSync(csv)],
  ['NDJSON', ndjson],
  ['NDJSON, compressed', gzipSync(ndjson)],
  ['NDJSON in UTF-16', Buffer.from(`\ufeff${ndjson}`, 'utf16le')],
  [
    'NDJSON with the company within',
    objects
      .map(({ company, domain, ...person }) =>
        JSON.stringify({ ...person, organization: { name: company, primary_domain: domain } }),
      )
      .join('\n')
      .replaceAll('primary_domain', 'domain'),
  ],
]
test.each(formats)(
  '%s has the same people and companies as every other format',
  async (_format, content) => {
    const result = await importText(ctx, content)
    expect(result).toMatchObject({
      kind: 'contacts',
      contacts_created: 5,
      companies_created: 4,
      rejected: 0,
      report: null,
    })
    const found = await contactsIn(ctx)
    expect(found.map(({ key }) => key)).toEqual(objects.map(({ email }) => `e:${email}`).sort())
    expect(found.find(({ first_name }) => first_name === 'Ada')).toEqual({
      key: 'e:ada@analytical.example',
      first_name: 'Ada',
      last_name: 'Lovelace',
      title: 'Head of "Engines", London',
      seniority: null,
      department: null,
      city: 'London',
      country: 'UK',
      linkedin_url: null,
      email: 'ada@analytical.example',
      email_status: 'unknown',
      has_email: true,
      sample: false,
      company: 'd:analytical.example',
    })
    expect((await companiesIn(ctx)).map(({ name }) => name)).toEqual([
      'Analytical',
      'כהן בע״מ',
      'شركة النور',
      '山田商事',
    ])
    expect(await find('lovel')).toEqual(['Ada Lovelace'])
    expect(await find('astrom')).toEqual(['Zoë Åström'])
    expect(await find('محمد')).toEqual(['محمد كريم'])
    expect(await find('田商')).toEqual(['花子 山田'])
    expect(await find('כהן')).toEqual(['דוד כהן'])
  },
)

describe('a row that cannot be taken is reported by its number, and the rest goes on:', () => {
  const header = 'first_name,last_name,email,domain,employee_count'
  const around = (row: Content) =>
    Buffer.concat([
      Buffer.from(`${header}\nAda,L,ada@a.example,a.example,5\n`),
      Buffer.from(row as string),
      Buffer.from('\nZoe,A,zoe@a.example,a.example,5\n'),
    ])

  test.each([
    [
      'another encoding',
      Buffer.from('Zo\xeb,M,z@a.example,,', 'latin1'),
      "first_name is not written in the file's encoding",
    ],
    [
      'too many fields',
      'Bob,B,b@a.example,,,surplus',
      'it has more fields than the first line names',
    ],
    ['an address that is none', 'Bob,B,not an address,,', 'email is not an e-mail address'],
    ['a domain that is none', 'Bob,B,b@a.example,two words,', 'domain is not a domain'],
    [
      'a number that is none',
      'Bob,B,b@a.example,a.example,many',
      'employee_count is not a number of people',
    ],
    [
      'a field of a megabyte',
      `${'x'.repeat(1_000_000)},B,b@a.example,,`,
      'first_name is longer than 255 characters',
    ],
    ['NUL', 'B\0b,B,b@a.example,,', 'first_name has a character that no text has'],
    ['nobody', ',,,,7', 'neither an e-mail address, a LinkedIn profile, nor a name with a company'],
    [
      'a name alone',
      'Bob,B,,,',
      'neither an e-mail address, a LinkedIn profile, nor a name with a company',
    ],
  ])('%s', async (_what, row, reason) => {
    const result = await importText(ctx, around(row))
    expect(result).toMatchObject({ rows: 3, contacts_created: 2, rejected: 1 })
    expect(result.rejections).toEqual([`3: ${reason}`])
    expect(await emails()).toEqual(['ada@a.example', 'zoe@a.example'])
  })

  test('a line of NDJSON that is no object', async () => {
    const result = await importText(
      ctx,
      '{"email":"a@a.example"}\n{"email":\n{"phone":1}\n{}\n{"email":"z@a.example"}',
    )
    expect(result.rejections).toEqual([
      '2: it is not a JSON object',
      '3: none of its members is known',
    ])
    expect(await emails()).toEqual(['a@a.example', 'z@a.example'])
  })

  test('a name and a company that are too long for an index', async () => {
    const name = (length: number, from: number) =>
      Array.from({ length }, (_, at) =>
        String.fromCodePoint(0x4e00 + (((from + at) * 7919) % 20_011)),
      ).join('')
    const row = `${name(255, 0)},${name(255, 300)},${name(500, 600)},\n`
    const header = 'first_name,last_name,company,email\n'
    const result = await importText(ctx, `${header}Ada,A,,a@a.example\n${row}Zoe,Z,,z@a.example\n`)
    expect(result.rejections).toEqual(['3: its name, its company or its profile is too long'])
    expect(await emails()).toEqual(['a@a.example', 'z@a.example'])
  })

  test('a character that another encoding does not have', async () => {
    const text = Buffer.concat([
      Buffer.from('\ufefffirst_name,email\nAda,a@a.example\nB', 'utf16le'),
      Buffer.from([0x00, 0xd8]),
      Buffer.from(',b@a.example\nZoe,z@a.example\n', 'utf16le'),
    ])
    const result = await importText(ctx, text)
    expect(result.rejections).toEqual(["3: first_name is not written in the file's encoding"])
    expect(await emails()).toEqual(['a@a.example', 'z@a.example'])
  })
})

test('no value of a rejected row is in the report', async () => {
  const secret = 'secret-7@@example.com'
  const { rejections } = await importText(ctx, `first_name,email,domain\nAda,${secret},x\n`)
  expect(rejections.join()).not.toMatch(/secret|Ada/)
})

test('an encoding that is named is read, and one that is not named costs only the rows it spoils', async () => {
  const text = Buffer.from('first_name,email\nZo\xeb,zoe@a.example\nAda,ada@a.example\n', 'latin1')
  expect((await importText(ctx, text)).rejections).toEqual([
    "2: first_name is not written in the file's encoding",
  ])
  expect(await importText(ctx, text, { encoding: 'windows-1252' })).toMatchObject({ rejected: 0 })
  expect((await contactsIn(ctx)).map(({ first_name }) => first_name)).toEqual(['Ada', 'Zoë'])
})

describe('a quote that is never closed', () => {
  const before = 'first_name,email\nAda,ada@a.example\n\n'
  const after = Array.from({ length: 20 }, (_, at) => `Bob,b${at}@a.example\n`).join('')

  test('is told by its row, and what stands before it is imported and found', async () => {
    const importing = importText(ctx, `${before}"Eve,eve@a.example\n${after}`)
    await expect(importing).rejects.toThrow(
      'The file has a quote in row 4 that is not closed. Its first 2 rows are imported.',
    )
    expect(await emails()).toEqual(['ada@a.example'])
    expect(await find('ada')).toEqual(['Ada'])
  })

  test.each([
    ['email\n"ada@a.example\n', 'Nothing of it is imported.'],
    ['email\nada@a.example\n"b@a.example\n', 'Its first row is imported.'],
  ])('in %j says how much came before it', async (text, said) => {
    await expect(importText(ctx, text)).rejects.toThrow(said)
  })

  test('ends what is read of a large file after 1.1 MB', async () => {
    const text = Buffer.concat([Buffer.from(`${before}"Eve,`), Buffer.alloc(9_000_000, after)])
    await expect(importText(ctx, text)).rejects.toThrow(
      'Row 4 of the file is longer than 1.1 MB: a quote in it may not be closed. Its first 2 rows are imported.',
    )
    expect(await emails()).toEqual(['ada@a.example'])
  })

  test('in the row of headers is told, and nothing is imported', async () => {
    const importing = importText(ctx, `"first_name,email\n${after}`)
    await expect(importing).rejects.toThrow('The file has a quote in row 1 that is not closed.')
  })
})

describe('a compressed file that breaks off', () => {
  const lines = Array.from({ length: 5000 }, (_, at) => `Ada ${Math.sin(at)},p${at}@a.example\n`)
  const whole = gzipSync(`first_name,email\n${lines.join('')}`)

  test('has its rows up to there imported and found, and says how many', async () => {
    const broken = importText(ctx, whole.subarray(0, whole.length / 2))
    await expect(broken).rejects.toThrow(
      /^The file ends in the middle of its compression. Its first/,
    )
    const { message } = await broken.catch((error) => error)
    const imported = await contactsIn(ctx)
    expect(message).toContain(`Its first ${imported.length} rows are imported.`)
    expect(imported.length).toBeGreaterThan(2000)
    expect(
      (await searchDirectory(ctx.db, { query: 'Ada' }, { limit: 1, startingAfter: undefined }))
        .total,
    ).toBe(imported.length)
  })

  test('is whole after the whole file is imported', async () => {
    await importText(ctx, whole.subarray(0, 2000)).catch(() => undefined)
    const before = (await contactsIn(ctx)).length
    const result = await importText(ctx, whole)
    expect(result).toMatchObject({ contacts_created: 5000 - before, contacts_unchanged: before })
  })

  test('in its first line imports nothing', async () => {
    await expect(importText(ctx, whole.subarray(0, 20))).rejects.toThrow(
      'The file ends in the middle',
    )
  })
})

describe('columns', () => {
  test('are known by the names of the usual vendors', async () => {
    await importText(
      ctx,
      'First Name,Last Name,Job Title,Company Name,Website,Work Email,Email Status,# Employees,Person Linkedin Url,Company HQ City,Phone\n' +
        'Ada,Lovelace,CTO,Analytical,https://www.analytical.example/about,ada@analytical.example,Verified,51-200,https://www.linkedin.com/in/ada/,London,+44\n',
    )
    expect(await contactsIn(ctx)).toMatchObject([
      { title: 'CTO', email_status: 'verified', linkedin_url: 'https://www.linkedin.com/in/ada/' },
    ])
    expect(await companiesIn(ctx)).toMatchObject([
      {
        key: 'd:analytical.example',
        domain: 'analytical.example',
        employee_count: 51,
        city: 'London',
      },
    ])
  })

  test('that say nothing are named', async () => {
    const result = await importText(ctx, 'email,Phone,Fax\na@a.example,1,2\n')
    expect(result.ignored_columns).toEqual(['Phone', 'Fax'])
  })

  test('with names of their own are mapped', async () => {
    const map = parseColumnMap(['Vorname=first_name', 'E-Post =email', 'email=department'])
    await importText(ctx, 'Vorname,E-Post,Email\nAda,ada@a.example,Sales\n', { map })
    expect(await contactsIn(ctx)).toMatchObject([
      { first_name: 'Ada', email: 'ada@a.example', department: 'Sales' },
    ])
  })

  test('of NDJSON are mapped too', async () => {
    const map = parseColumnMap(['vor name=first_name'])
    await importText(ctx, '{"VorName":"Ada","email":"ada@a.example"}', { map })
    expect(await contactsIn(ctx)).toMatchObject([{ first_name: 'Ada' }])
  })

  test.each([
    ['{"headline":"I help people grow","title":"CTO"}', []],
    ['{"title":"CTO","headline":"I help people grow"}', []],
    ['{"headline":"CTO","title":""}', []],
    ['{"title":"I help people grow","Rolle":"CTO"}', ['Rolle=title']],
  ])('of NDJSON give way to the mapped or more usual one: %s', async (line, map) => {
    const named = line.replace('{', '{"email":"ada@a.example",')
    await importText(ctx, named, { map: parseColumnMap(map) })
    expect(await contactsIn(ctx)).toMatchObject([{ title: 'CTO' }])
  })

  test('may have more commas than there are semicolons that part them', async () => {
    const note = 'Exported by somebody, page 1 of 1, all rights reserved, email\n'
    const headers = 'first_name;email;"Notes (ours, private, not sent, old)"\n'
    await importText(ctx, `${note}${headers}Ada;ada@a.example;none\n`)
    expect(await contactsIn(ctx)).toMatchObject([{ first_name: 'Ada', email: 'ada@a.example' }])
  })

  test('that are mapped and not there are refused', async () => {
    const map = parseColumnMap(['Mail=email'])
    const importing = importText(ctx, 'first_name,E-Mail\nAda,ada@a.example\n', { map })
    await expect(importing).rejects.toThrow('The file has no column "mail" for email')
  })

  test('may be a thousand', async () => {
    const more = Array.from({ length: 998 }, (_, at) => `column ${at}`)
    const result = await importText(
      ctx,
      `first_name,${more.join(',')},email\nAda,${more.map(() => 'x').join(',')},ada@a.example\n`,
    )
    expect(result).toMatchObject({ contacts_created: 1, rejected: 0 })
    expect(result.ignored_columns).toHaveLength(998)
  })

  test('of which a row has fewer are empty there', async () => {
    await importText(ctx, 'email,first_name,title\na@a.example\nb@a.example,Bob\n')
    expect(await contactsIn(ctx)).toMatchObject([
      { first_name: null, title: null },
      { first_name: 'Bob', title: null },
    ])
  })
})

describe('a whole name', () => {
  test('is parted before its last word, and a single one is a first name', async () => {
    await importText(ctx, 'Name,Email\nAda King Lovelace,a@a.example\nPlato,p@a.example\n')
    expect(await contactsIn(ctx)).toMatchObject([
      { first_name: 'Ada King', last_name: 'Lovelace' },
      { first_name: 'Plato', last_name: null },
    ])
    expect(await find('king')).toEqual(['Ada King Lovelace'])
  })
})

test('an address that stands where a name should is not shown by searches', async () => {
  const text =
    'name,title,company,email\nada@a.example,Write to ada@a.example,ada@a.example,ada@a.example\n'
  expect(await importText(ctx, text)).toMatchObject({ contacts_created: 1, companies_created: 0 })
  const page = { limit: 10, startingAfter: undefined }
  const { items } = await searchDirectory(ctx.db, {}, page)
  expect(items).toHaveLength(1)
  expect(JSON.stringify(items)).not.toContain('@')
})

describe('a company whose site is a page among those of others, or whose mail is at a public host', () => {
  test.each([
    'https://www.linkedin.com/company/analytical/',
    'facebook.com/analytical',
    'ada@gmail.com',
    'gmail.com',
  ])('is known by its name alone: %s', async (website) => {
    await importText(ctx, `email,company,website\nada@gmail.com,Analytical,${website}\n`)
    expect(await companiesIn(ctx)).toMatchObject([{ key: 'n:analytical', domain: null }])
  })

  test('may be one of these itself', async () => {
    await importText(ctx, 'company,website\nLinkedIn,https://www.linkedin.com/\n')
    expect(await companiesIn(ctx)).toMatchObject([{ domain: 'linkedin.com' }])
  })

  test('does not have a domain that is said to be its own there', async () => {
    await importText(ctx, 'first_name,last_name,company,domain\nAda,L,Analytical,gmail.com\n')
    expect(await companiesIn(ctx)).toMatchObject([{ key: 'n:analytical', domain: null }])
    expect(await contactsIn(ctx)).toMatchObject([{ has_email: false }])
  })

  test('has that of its website where the domain beside it is that of a mail service', async () => {
    const row = 'Ada,Lovelace,Analytical,gmail.com,https://www.analytical.example/\n'
    await importText(ctx, `first_name,last_name,company,domain,website\n${row}`)
    expect(await companiesIn(ctx)).toMatchObject([
      { key: 'd:analytical.example', name: 'Analytical', domain: 'analytical.example' },
    ])
    expect(await contactsIn(ctx)).toMatchObject([{ has_email: true }])
  })
})

test.each([
  ['NDJSON', '{"first_name":"Ada","emails":[{"type":"work","address":"a@x.example"}]}'],
  ['NDJSON', '{"first_name":"Ada","emails":["a@x.example","b@x.example"]}'],
  ['CSV', 'first_name,email\nAda,"a@x.example; b@x.example"'],
  ['CSV', 'first_name,email\nAda,"n/a | a@x.example, b@x.example"'],
])('of several addresses in %s the first one is taken: %s', async (_what, file) => {
  expect(await importText(ctx, file)).toMatchObject({ contacts_created: 1, rejected: 0 })
  expect(await emails()).toEqual(['a@x.example'])
})

test.each([
  ['{"first_name":"Ada","linkedin_url":"linkedin.com/in/ada","work_email":true}', true],
  ['{"first_name":"Ada","last_name":"L","domain":"a.example","work_email":false}', false],
])('%s tells whether there is an address', async (line, has_email) => {
  expect(await importText(ctx, line)).toMatchObject({ contacts_created: 1, rejected: 0 })
  expect(await contactsIn(ctx)).toMatchObject([{ email: null, has_email }])
})

describe('whether an address may be asked for', () => {
  test.each([
    ['an address', 'a@a.example,,,,', true],
    ['a name at a domain', ',,Ada,L,a.example', true],
    ['a name at a domain where the file says no', ',no,Ada,L,a.example', false],
    ['only a first name', ',,Ada,,a.example', false],
    ['an address that is known to be wrong', 'a@a.example,,Ada,L,a.example', false],
  ])('%s: %s is %s', async (what, row, has_email) => {
    const status = what.includes('wrong') ? 'invalid' : ''
    await importText(
      ctx,
      `email,has_email,first_name,last_name,domain,email_status\n${row},${status}\n`,
    )
    expect(await contactsIn(ctx)).toMatchObject([{ has_email }])
  })

  test('is what a later file says of whom the directory knows, unless it knows the address', async () => {
    const header = 'email,has_email,first_name,last_name,domain\n'
    const bob = 'b@a.example,,Bob,B,a.example\n'
    const offered = async () => (await contactsIn(ctx)).map(({ has_email }) => has_email)
    await importText(ctx, `${header},,Ada,L,a.example\n${bob}`)
    const no = `${header},no,Ada,L,a.example\n${bob.replace(',,', ',no,')}`
    expect(await importText(ctx, no)).toMatchObject({ contacts_updated: 1, contacts_unchanged: 1 })
    expect(await offered()).toEqual([true, false])
    const page = { limit: 10, startingAfter: undefined }
    const { items } = await searchDirectory(ctx.db, { has_email: false }, page)
    expect(items).toMatchObject([{ first_name: 'Ada' }])
    await importText(ctx, `first_name,last_name,domain,title,has_email\nAda,L,a.example,CTO,yes\n`)
    expect(await offered()).toEqual([true, true])
  })
})

describe('a file of companies', () => {
  test('is told by its columns', async () => {
    const result = await importText(
      ctx,
      'name,website,city,technologies,founded\nAnalytical,www.analytical.example,London,"a; b",1843\nNo Domain Ltd,,Paris,,\n,,,,\n',
    )
    expect(result).toMatchObject({ kind: 'companies', companies_created: 2, rejected: 0 })
    expect(await companiesIn(ctx)).toMatchObject([
      { key: 'd:analytical.example', city: 'London', technologies: ['a', 'b'], founded_year: 1843 },
      { key: 'n:no domain ltd', city: 'Paris', technologies: [] },
    ])
  })

  test('may be what a file of contacts is read as', async () => {
    const result = await importText(ctx, csv, { kind: 'companies' })
    expect(result).toMatchObject({ kind: 'companies', companies_created: 4, contacts_created: 0 })
    expect(await contactsIn(ctx)).toEqual([])
    expect((await companiesIn(ctx)).map(({ city }) => city)).toEqual([null, null, null, null])
  })

  test('reports rows that name none', async () => {
    const { rejections } = await importText(ctx, 'company,domain,industry\n,,Mining\nA,,\n')
    expect(rejections).toEqual(['2: neither a name nor a domain'])
  })
})

describe('nothing is imported of', () => {
  test.each([
    ['an empty file', '', 'The file is empty.'],
    ['a line of nothing that is known', 'x,y\n1,2\n', 'No line of headers was found'],
    ['many lines of notes', `${'note\n'.repeat(30)}email\n`, 'No line of headers was found'],
    ['a binary file', Buffer.from([0, 1, 2, 255, 254, 10, 13]), 'No line of headers was found'],
    ['a JSON array', '[{"email":"a@a.example"}]', 'This is a JSON array'],
    ['objects of nothing that is known', '{"x":1}\n', 'No line of headers was found'],
  ])('%s', async (_what, content, sentence) => {
    await expect(importText(ctx, content)).rejects.toThrow(sentence)
  })

  test('headers alone', async () => {
    expect(await importText(ctx, 'first_name,email\n')).toMatchObject({ rows: 0, rejected: 0 })
    expect(await importText(ctx, 'first_name,email')).toMatchObject({ rows: 0, report: null })
  })
})

test('a first line of NDJSON may be longer than what is read at once', async () => {
  const description = 'x'.repeat(1_000_000)
  const result = await importText(ctx, `{"description":"${description}","email":"a@a.example"}\n`)
  expect(result).toMatchObject({ kind: 'contacts', contacts_created: 1 })
})

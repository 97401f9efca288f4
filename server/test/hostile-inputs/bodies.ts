/** That `lead/add` takes, less some room for what is around the bombs. */
const bodyBytesMax = 10 * 1024 * 1024 - 1000

const filled = (text: string) => text.repeat(Math.floor(bodyBytesMax / text.length))
const list = (length: number, item: (index: number) => string) =>
  Array.from({ length }, (_, index) => item(index)).join(',')
export const keys = (count: number, value: string) =>
  list(count, (index) => `"key${index}":${value}`)
export const rows = (more: string) =>
  list(1000, (index) => `{"email":"a${index}@lead.example",${more}}`)
/** Of leads, for `lead/add`. */
export const addingTo = (campaignId: string) => (leads: string) =>
  `{"campaign_id":"${campaignId}","leads":[${leads}]}`

/** What is in each body for `lead/add`, the body, and why it is refused. */
export function bodyBombs(campaignId: () => string): [string, () => string, RegExp][] {
  const adding = (leads: string) => addingTo(campaignId())(leads)
  return [
    ['one lead of 600,000 keys', () => adding(`{${keys(600_000, '1')}}`), /more than 1000 keys/],
    ['1,000 leads of 1,000 keys', () => adding(rows(keys(900, '1'))), /200,000 values/],
    ['millions of objects', () => adding(`${filled('{},')}{}`), /200,000 values/],
    ['millions of numbers', () => adding(`${filled('1,')}1`), /200,000 values/],
    ['10 MB of brackets', () => filled('['), /deeper than 32 levels/],
    ['10 MB of objects in objects', () => filled('{"a":'), /deeper than 32 levels/],
    ['10 MB of blanks', () => adding(filled(' ')), /at least 1 item/],
    ['a number of 10 MB', () => adding(filled('1')), /4,000,000 digits/],
    ['an address of 10 MB', () => adding(`{"email":"${filled(':')}"}`), /valid e-mail address/],
    ['10 MB of escapes', () => adding(`{"email":"${filled('\\n')}"}`), /valid e-mail address/],
    [
      'addresses of 10 kB',
      () => adding(list(1000, () => `{"email":"${'a.'.repeat(5000)}@b"}`)),
      /valid e-mail/,
    ],
    [
      'a wrong type in the last of 1,000 full rows',
      () =>
        adding(
          `${list(999, (index) => `{"email":"a${index}@b.example",${keys(150, '"text"')}}`)},{}`,
        ),
      /leads\.999\.email is required/,
    ],
    [
      'wrong types in each of 1,000 full rows',
      () => adding(rows(`"custom_variables":{${keys(80, '[]')}}`)),
      /custom_variables.*more is wrong/,
    ],
    ['150 variables in each', () => adding(rows(keys(150, '"some text"'))), /100 custom variables/],
    [
      'a key that is repeated at the very end',
      () => adding(`${rows(keys(100, `"${'v'.repeat(80)}"`))},{"email":"a@b.example","b":1,"b":2}`),
      /repeated/,
    ],
  ]
}

import { expect, test, vi } from 'vitest'
import { parseMessage } from './message.ts'

const mail = (encoding: string, text: string) =>
  Buffer.from(
    [
      'From: ada@lead.example',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      ...(encoding === '' ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
      '',
      text,
      '--b--',
    ].join('\r\n'),
    'latin1',
  )

test.each(['', '7bit', '8bit', 'binary'])(
  'a part sent as it is (%s) is read without a Blob',
  async (encoding) => {
    const blob = vi.spyOn(globalThis, 'Blob')
    const { text } = await parseMessage(mail(encoding, 'Grüße\r\n\r\nund Dank'))
    expect(text).toBe('Grüße\n\nund Dank\n')
    expect(blob).not.toHaveBeenCalled()
    blob.mockRestore()
  },
)

test.each([
  ['base64', Buffer.from('Grüße\n', 'latin1').toString('base64')],
  ['quoted-printable', 'Gr=FC=\r\n=DFe'],
])('one in %s is decoded', async (encoding, text) => {
  expect((await parseMessage(mail(encoding, text))).text).toBe('Grüße\n')
})

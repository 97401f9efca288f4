import fc from 'fast-check'
import { expect, test } from 'vitest'
import { share } from '../../../../test/thoroughness.ts'
import { scanHtml } from '../../../kernel/html/scan.ts'
import { rewriteLinks } from './links.ts'

const rewrite = (html: string, by = (url: string) => `R(${encodeURIComponent(url)})`) =>
  rewriteLinks(html, scanHtml(html), by)

test.each([
  ['<a href="https://x.example/">a</a>', '<a href="R(https%3A%2F%2Fx.example%2F)">a</a>'],
  ["<A HREF='HTTP://X.example'>", "<A HREF='R(HTTP%3A%2F%2FX.example)'>"],
  ['<a href=https://x.example/a>', '<a href=R(https%3A%2F%2Fx.example%2Fa)>'],
  [
    '<a class="b" href = "https://x.example" id=c>',
    '<a class="b" href = "R(https%3A%2F%2Fx.example)" id=c>',
  ],
  [
    '<a href=" https://x.example/?a&amp;b&#61;c ">',
    '<a href="R(https%3A%2F%2Fx.example%2F%3Fa%26b%3Dc)">',
  ],
  [
    '<a href="https://x.example" href="https://y.example">',
    '<a href="R(https%3A%2F%2Fx.example)" href="https://y.example">',
  ],
])('%s leads elsewhere', (html, expected) => {
  expect(rewrite(html)).toBe(expected)
})

test.each([
  '<a href="mailto:a@x.example">',
  '<a href="tel:1">',
  '<a href="#https://x.example">',
  '<a href="/https://x.example">',
  '<a href="//x.example">',
  '<a href="javascript:https://x.example">',
  '<a href="ftp://x.example">',
  '<a href="https://">',
  '<a href="https://[">',
  '<a href>',
  '<a>',
  '<a data-href="https://x.example">',
  '<a title="href=\'https://x.example\'">',
  '<a title=\'<a href="https://x.example">\'>',
  '<area href="https://x.example">',
  '<link href="https://x.example">',
  '<abbr href="https://x.example">',
  '<img src="https://x.example">',
  '<form action="https://x.example">',
  '<!-- <a href="https://x.example"> -->',
  '<!--[if mso]><a href="https://x.example"><![endif]-->',
  '<style><a href="https://x.example"></style>',
  '<script>"<a href=\\"https://x.example\\">"</script>',
  '<textarea><a href="https://x.example"></textarea>',
  '</a href="https://x.example">',
  'https://x.example',
  '< a href="https://x.example">',
])('%s is left as it is', (html) => {
  expect(rewrite(html)).toBe(html)
})

test('nothing but the addresses of links changes, whatever the HTML', () => {
  const parts = fc.constantFrom(
    ...[
      '<a ',
      'href=',
      '"https://x.example/a"',
      "'https://y.example'",
      'https://z.example',
      '>',
      '</a>',
    ],
    ...['text', ' ', '<p title="', '"', "'", '<!--', '-->', '<style>', '</style>', '/'],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (texts) => {
      const html = texts.join('')
      const seen: string[] = []
      const marked = rewrite(html, (url) => {
        seen.push(url)
        return `https://0.example/${seen.length}`
      })
      // The other way round nothing is left of it.
      const back = seen.reduce(
        (text, url, index) => text.replace(`https://0.example/${index + 1}`, () => url),
        marked,
      )
      expect(back).toBe(html)
      expect(scanHtml(marked).map(({ name }) => name)).toEqual(
        scanHtml(html).map(({ name }) => name),
      )
    }),
    { numRuns: share(2000) },
  )
})

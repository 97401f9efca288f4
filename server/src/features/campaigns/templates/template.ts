import {
  Context,
  LiquidError,
  type Template,
  type Token,
  Tokenizer,
  type TopLevelToken,
  TypeGuards,
} from 'liquidjs'
import { InstrumentedParser } from './instrumented-parser.ts'
import { createLiquid, type Rendering, startRendering } from './liquid.ts'
import { SpintaxError, spintaxTag, tokensWithSpintax } from './spintax.ts'

/** A text that is no template, or that cannot be rendered. The message ends with the place. */
export class TemplateError extends Error {
  override name = 'TemplateError'
  /** Both from 1. */
  readonly line: number
  readonly column: number
  constructor(problem: string, line: number, column: number) {
    super(`${problem}, at line ${line}, column ${column}`)
    this.line = line
    this.column = column
  }
}

export interface ParsedTemplate {
  readonly nodes: Template[]
  /** What stands in its outputs, as it is written there. */
  readonly outputs: readonly string[]
}

export type TemplateVariables = Readonly<Record<string, unknown>>

/** The fields of a lead that a template may use. */
export const leadFields = [
  'email',
  'first_name',
  'last_name',
  'company_name',
  'company_domain',
  'job_title',
  'phone',
  'website',
  'personalization',
] as const

export type TemplateLead = Record<(typeof leadFields)[number], string | null> & {
  custom_variables: Readonly<Record<string, unknown>>
}

/**
 * Liquid, with spintax `{a|b}` in the text outside its tags, outputs, `<style>` and `<script>`.
 *
 * @param options.isText a body that is no HTML, to be rendered as one: its line ends are shown
 * @throws TemplateError
 */
export function parseTemplate(
  text: string,
  { isText = false }: { isText?: boolean } = {},
): ParsedTemplate {
  if (text.length > templateCharactersMax) throw new TemplateError('The template is too long', 1, 1)
  try {
    const tokens = tokensWithSpintax(
      new TemplateTokenizer(text).readTopLevelTokens(liquid.options),
      liquid,
      tokensMax,
    )
    const branches = checkTokens(tokens)
    // Before the parser takes them.
    const outputs = tokens.filter(TypeGuards.isOutputToken).map(({ content }) => content)
    return { nodes: new InstrumentedParser(liquid, branches, isText).parseTokens(tokens), outputs }
  } catch (error) {
    throw asTemplateError(error, text)
  }
}

/** Whether the page that unsubscribes is linked in a text of the variant. */
export const placesUnsubscribeUrl = ({ subject, body }: { subject: string; body: string }) =>
  [subject, body].some((text) => /\{[{%][^}]*\bunsubscribe_url\b/.test(text))

/** @throws TemplateError when the template does too much, or a filter refuses its values */
export function renderTemplate(
  { nodes }: ParsedTemplate,
  variables: TemplateVariables,
  rendering: Rendering,
): string {
  const context = new Context(variables, liquid.options, { sync: true }, { liquid })
  startRendering(context, rendering)
  try {
    const text: string = liquid.renderSync(nodes, context)
    if (text.length > renderedCharactersMax) throw new TemplateError('The text is too long', 1, 1)
    return text
  } catch (error) {
    throw asTemplateError(error, '')
  }
}

/**
 * The fields by name and in camelCase, and the custom variables. A field that the lead has is never
 * hidden, a custom variable comes before a camelCase name. Without a prototype, so that nothing but
 * a variable is ever found.
 */
export function templateVariables(lead: TemplateLead): Record<string, unknown> {
  const variables: Record<string, unknown> = Object.create(null)
  // Liquid would answer `size` of a record with the number of its fields.
  variables.size = null
  for (const { field, camelCase } of spellings) variables[camelCase] = lead[field]
  const { custom_variables } = lead
  for (const name in custom_variables)
    if (Object.hasOwn(custom_variables, name))
      variables[name] = custom_variables[name] ?? variables[name]
  for (const field of leadFields) variables[field] = lead[field] ?? variables[field]
  return variables
}

/** Of a variable as a template spells it: two spellings of a field are one name. */
export const nameOfVariable = (spelled: string): string =>
  spellings.find(({ camelCase }) => camelCase === spelled)?.field ?? spelled

const liquid = createLiquid()

const templateCharactersMax = 262_144
const renderedCharactersMax = 2 * templateCharactersMax
// The parser takes time by the square of the tokens, and stack by their depth.
const tokensMax = 5000
const sourceCharactersMax = 65_536
const depthMax = 50

const spellings = leadFields.map((field) => ({
  field,
  camelCase: field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
}))

/** Reads `{{{name}}|you}` as a brace and an output, where Liquid would see an output of `{name`. */
class TemplateTokenizer extends Tokenizer {
  #read = 0

  override readTopLevelToken(options: typeof liquid.options): TopLevelToken {
    // Here already: 256 KiB of braces are as many tokens.
    if (++this.#read > tokensMax) {
      throw new TemplateError(`A template has at most ${tokensMax} tags and outputs`, 1, 1)
    }
    if (!this.match('{{{')) return super.readTopLevelToken(options)
    this.p++
    return new Tokenizer(this.input, undefined, undefined, [this.p - 1, this.p]).readHTMLToken([])
  }

  /** What ends a text begins with a brace: Liquid would compare at every character. */
  override readHTMLToken(ends: string[]) {
    const { N } = this
    const isEnd = (at: number) => ends.some((end) => this.input.startsWith(end, at))
    let at = this.input.indexOf('{', this.p)
    while (at !== -1 && !isEnd(at)) at = this.input.indexOf('{', at + 1)
    if (at !== -1 && at < N) this.N = at
    const token = super.readHTMLToken([])
    this.N = N
    return token
  }
}

const branchTag = /^(?:elsif|when|else)$/
const groupTag = /^(?<end>end)?(?:if|unless|for|case|capture)$/

// Liquid would take the first word and drop the rest: `{{ first name }}` would be empty for all.
const twoWords = /^[\p{L}\p{N}_.?-]+\s+(?!(?:and|or|contains)\b)[\p{L}\p{N}_"']/u

/** @returns the branches (`elsif`, `when`, `else`) of each tag that has some */
function checkTokens(tokens: TopLevelToken[]): Map<Token, Token[]> {
  const branches = new Map<Token, Token[]>()
  const open: Token[] = []
  let sourceCharacters = 0
  for (const token of tokens) {
    if (!TypeGuards.isHTMLToken(token)) sourceCharacters += token.end - token.begin
    if (sourceCharacters > sourceCharactersMax) {
      const most = sourceCharactersMax.toLocaleString('en-US')
      throw errorAt(token, `All tags and outputs together have at most ${most} characters`)
    }
    if (TypeGuards.isOutputToken(token) && twoWords.test(token.content)) {
      throw errorAt(token, 'Two words without a filter or operator between them in an output')
    }
    if (!TypeGuards.isTagToken(token)) continue
    const group = groupTag.exec(token.name)
    const around = open.at(-1)
    if (group?.groups?.end || token.name === spintaxTag.close) open.pop()
    else if (group || token.name === spintaxTag.open) open.push(token)
    else if (around && branchTag.test(token.name)) {
      const known = branches.get(around)
      if (known) known.push(token)
      else branches.set(around, [token])
    }
    if (open.length > depthMax) throw errorAt(token, 'Tags or spintax nested too deeply')
  }
  return branches
}

function errorAt(token: Token, problem: string) {
  const [line = 1, column = 1] = token.getPosition()
  return new TemplateError(problem, line, column)
}

function asTemplateError(error: unknown, text: string): unknown {
  if (error instanceof SpintaxError) {
    const lines = text.slice(0, error.at).split('\n')
    return new TemplateError(error.message, lines.length, (lines.at(-1)?.length ?? 0) + 1)
  }
  if (!LiquidError.is(error)) return error
  // The library's words quote the template; ours only say where to look.
  const [, problem] = problems.find(([words]) => words.test(error.message)) ?? []
  return errorAt(error.token, problem ?? 'Not valid Liquid')
}

const problems: [RegExp, string][] = [
  [/^output .* not closed/s, 'An output {{ without its }}'],
  [/^(?:tag|raw) .* not closed/s, 'A tag without its end'],
  [/^tag "(?:end\w*|els\w+|when|[|}])" not found/, 'An end without its start on the same level'],
  [/^tag .* not found/s, 'An unknown tag'],
  [
    /^(?:undefined filter|expected (?:filter name|":" after filter name))/,
    'An unknown filter (a default is written {{first_name | default: "there"}})',
  ],
  [/ limit exceeded/, 'The template does too much'],
  [/call stack/, 'Liquid nested too deeply'],
]

import {
  type Context,
  type Emitter,
  evalToken,
  type Liquid,
  Output,
  Parser,
  type Template,
  type Token,
  type TopLevelToken,
  TypeGuards,
  toValue,
} from 'liquidjs'
import { isBlank } from './conditions.ts'
import { Markup, renderingOf, shownText, textAsHtml } from './liquid.ts'
import { noteCost } from './liquid-work.ts'

/**
 * Parses the tags and outputs of a template, and notes what each costs to render. Its outputs tell of
 * variables that are nothing and have no `default`, so that a mail with a hole is never sent. Conditions
 * and loops may ask for anything.
 */
export class InstrumentedParser extends Parser {
  private readonly branches: ReadonlyMap<Token, readonly Token[]>
  private readonly isText: boolean

  /**
   * @param branches of each tag that has some: the tokens of its `elsif`, `when` and `else`
   * @param isText what stands between the tags is no HTML, but becomes part of one
   */
  constructor(liquid: Liquid, branches: ReadonlyMap<Token, readonly Token[]>, isText: boolean) {
    super(liquid)
    this.branches = branches
    this.isText = isText
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]) {
    const template = super.parseToken(token, rest)
    if (!TypeGuards.isHTMLToken(token)) noteCost(template, token, this.branches.get(token) ?? [])
    else if (this.isText) return plainText(template, textAsHtml(token.getContent()))
    if (!(template instanceof Output)) return template
    const name = plainVariable(template)
    if (name !== undefined) return plainOutput(template, name)
    const needed = neededVariables(template)
    return needed ? reportingMissing(template, needed) : template
  }
}

const plainText = <T extends Template>(template: T, text: string): T =>
  Object.assign(template, {
    render: (_context: Context, emitter: Emitter) => void emitter.write(text),
  })

/** Of `{{ name }}`, as most outputs are. */
function plainVariable({ value: { initial, filters } }: Output): string | undefined {
  const [start] = initial.postfix
  // The filter is the one that escapes.
  if (initial.postfix.length !== 1 || filters.length !== 1 || !start) return
  if (!TypeGuards.isPropertyAccessToken(start) || start.variable) return
  const [name] = start.props
  if (start.props.length !== 1 || !name || !('content' in name)) return
  return typeof name.content === 'string' ? name.content : undefined
}

/** Does what the library does with it, in a quarter of the time. */
function plainOutput(output: Output, name: string): Output {
  const shown = nameOf(output.value.initial.postfix[0]) ?? name
  return Object.assign(output, {
    render(context: Context, emitter: Emitter) {
      const value = context.getSync([name])
      const { onMissing } = renderingOf(context)
      if (onMissing && isNothing(value)) onMissing(shown)
      emitter.write(shownText(context, value))
    },
  })
}

interface Needed {
  /** At the start of the output: what it shows. */
  shown: string | undefined
  /** In the arguments of its filters. */
  added: { name: string; token: Token }[]
  /** A default that is a variable too: what counts is what comes out. */
  isDefaulted: boolean
}

/** Undefined: whatever the variables are, the output is what its author wants. */
function neededVariables({ value: { initial, filters } }: Output): Needed | undefined {
  const defaults = filters.filter(({ name }) => name === 'default')
  const [start] = initial.postfix
  // An operator between two values has an answer of its own.
  const shown = initial.postfix.length === 1 ? nameOf(start) : undefined
  const added = filters
    .flatMap(({ args }) => args.map((arg) => (Array.isArray(arg) ? arg[1] : arg)))
    .flatMap((token) => {
      const name = nameOf(token)
      return token && name !== undefined ? [{ name, token }] : []
    })
  if (shown === undefined && added.length === 0) return
  const isDefaulted = defaults.length > 0
  const isSettled = ({ args: [arg] }: (typeof defaults)[number]) =>
    arg !== undefined && !Array.isArray(arg) && nameOf(arg) === undefined
  if (defaults.some(isSettled)) return
  return { shown, added, isDefaulted }
}

const nameOf = (token: Token | undefined) =>
  token && TypeGuards.isPropertyAccessToken(token) ? token.getText() : undefined

function reportingMissing(output: Output, { shown, added, isDefaulted }: Needed): Output {
  const { initial, filters } = output.value
  const last = filters.length - 1
  return Object.assign(output, {
    *render(context: Context, emitter: Emitter): IterableIterator<unknown> {
      const { onMissing } = renderingOf(context)
      let value = yield initial.evaluate(context)
      if (!isDefaulted && onMissing) {
        if (shown !== undefined && isNothing(value)) onMissing(shown)
        for (const { name, token } of added) {
          if (isNothing(yield evalToken(token, context))) onMissing(name)
        }
      }
      for (const [index, filter] of filters.entries()) {
        // The last filter is the one that escapes.
        if (index === last && isDefaulted && isNothing(value)) {
          onMissing?.(shown ?? added[0]?.name ?? '')
        }
        value = yield filter.render(value, context)
      }
      emitter.write(toValue(value))
    },
  })
}

/** What was captured or signed is as its author made it, empty or not. */
const isNothing = (value: unknown) => !(value instanceof Markup) && isBlank(value)

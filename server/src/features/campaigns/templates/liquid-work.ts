import {
  CaseTag,
  type Context,
  defaultOperators,
  type Emitter,
  evalToken,
  type FilterImplOptions,
  ForTag,
  type Liquid,
  LiquidError,
  RenderError,
  type Template,
  type Token,
  TypeGuards,
  toValue,
} from 'liquidjs'
import { isBlank, unlessBlank } from './conditions.ts'

/**
 * Bounds the work of one rendering, so that no template and no value holds up the process: at most
 * `workMax` units, of which one takes up to 10 ns. Units are counted, not measured, so a template
 * that does too much ends at the same place on every machine.
 *
 * The library counts the characters that its filters make in `context.memoryLimit`. Here the same
 * counter is also charged for what they look at, for comparisons, and for each tag and output.
 */
export const workMax = 3_000_000

const unitsPer = {
  /** Rendering a tag, an output or a piece of text. */
  node: 140,
  /** In the source of a tag or output: its names, operators and filters are looked at each time. */
  sourceCharacter: 40,
  /** Of a list that a filter reads or makes. */
  element: 40,
  /** Of a text that a filter reads. */
  character: 8,
  /** Formatting a date asks the time zone database. */
  date: 20_000,
  dateFormatCharacter: 1500,
}

/** Filters that cost the same for any input. */
const constantFilters = new Set(['default', 'first', 'last', 'size'])

export function limitWork(liquid: Liquid) {
  limitNodes(liquid)
  for (const [name, filter] of Object.entries(liquid.filters)) {
    if (!constantFilters.has(name)) liquid.registerFilter(name, charged(name, filter))
  }
  liquid.registerTag('for', For)
  liquid.registerTag('case', Case)
}

interface CostlyTemplate extends Template {
  units?: number
}

/**
 * Notes what the tags and outputs of a template cost, by their length and that of the branches
 * (`elsif`, `when`) that are looked at with them.
 *
 * @param branches the tokens of the branches that belong to a token
 */
export function noteCost(template: CostlyTemplate, token: Token, branches: readonly Token[]): void {
  const lengths = [token, ...branches].map(({ begin, end }) => end - begin)
  template.units = unitsPer.sourceCharacter * lengths.reduce((total, length) => total + length, 0)
}

/** The library's own, which bounds time by a clock, with a count in its place. */
function limitNodes({ renderer }: Liquid) {
  renderer.renderTemplates = function* (templates, context, emitter = new TextEmitter()) {
    // A loop over nothing works, too.
    context.memoryLimit.use(unitsPer.node)
    for (const template of templates as CostlyTemplate[]) {
      try {
        context.memoryLimit.use(unitsPer.node + (template.units ?? 0))
        const text = yield template.render(context, emitter)
        if (text) emitter.write(text)
      } catch (error) {
        throw LiquidError.is(error) ? error : new RenderError(error as Error, template)
      }
      if (context.breakCalled || context.continueCalled) break
    }
    return emitter.buffer
  }
}

class TextEmitter implements Emitter {
  buffer = ''
  write(text: unknown) {
    this.buffer += text
  }
}

type FilterFunction = Extract<FilterImplOptions, (...args: never[]) => unknown>
type FilterThis = ThisParameterType<FilterFunction>

function charged(name: string, filter: FilterImplOptions): FilterImplOptions {
  const isRaw = typeof filter === 'object' && filter.raw === true
  const handler = typeof filter === 'function' ? filter : filter.handler
  if (!handler) return filter
  function* charging(this: FilterThis, value: unknown, ...args: unknown[]): Generator<unknown> {
    const { memoryLimit } = this.context
    if (name === 'date') {
      memoryLimit.use(unitsPer.date + unitsPer.dateFormatCharacter * lengthOf(args[0]))
    }
    memoryLimit.use(workOn(value) + args.reduce<number>((sum, arg) => sum + workOn(arg), 0))
    const made = yield handler?.apply(this, [value, ...args])
    if (Array.isArray(made)) memoryLimit.use(unitsPer.element * made.length)
    return made
  }
  return { handler: charging as FilterFunction, raw: isRaw }
}

function workOn(value: unknown): number {
  const plain = toValue(value)
  if (typeof plain === 'string') return unitsPer.character * plain.length
  if (!Array.isArray(plain)) return 1
  return plain.reduce<number>((sum, item) => sum + unitsPer.element + lengthOf(item), 0)
}

const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0)

type Operator = (left: unknown, right: unknown, context: Context) => unknown

/** What a condition joins or turns round; `not` has one operand, the others two. */
const joins = new Set(['and', 'or', 'not'])

const equalities = new Set(['==', '!='])

/** The operators of the library, those that compare charged for it. A blank is nothing to them, as `nil` is. */
export const chargedOperators: Record<string, Operator> = Object.fromEntries(
  Object.entries(defaultOperators as Record<string, Operator>).map(([name, operator]) => {
    if (joins.has(name)) return [name, joiningOperator(operator)]
    return [name, chargedOperator(equalities.has(name) ? equality(operator) : operator)]
  }),
)

/** Whatever is blank equals what a lead does not have. */
function equality(operator: Operator): Operator {
  return (left, right, context) => {
    if (!isNil(left) && !isNil(right)) return operator(left, right, context)
    const { memoryLimit } = context
    return operator(isBlank(left, memoryLimit), isBlank(right, memoryLimit), context)
  }
}

const isNil = (value: unknown) => (toValue(value) ?? null) === null

function joiningOperator(operator: Operator): Operator {
  const join = operator as (...parts: unknown[]) => unknown
  return (...parts: unknown[]) => {
    const context = parts.at(-1) as Context
    return join(...parts.slice(0, -1).map((operand) => unlessBlank(operand, context)), context)
  }
}

function chargedOperator(operator: Operator): Operator {
  return (left, right, context) => {
    context.memoryLimit.use(comparing(left) + comparing(right))
    return operator(left, right, context)
  }
}

/** A unit for each character, not eight: looking for a text in another is fast. */
function comparing(value: unknown): number {
  const plain = toValue(value)
  if (Array.isArray(plain)) return unitsPer.element * plain.length
  return 1 + lengthOf(plain)
}

/** Turning a list round, or taking a part of it, copies it before the first pass. */
class For extends ForTag {
  override *render(context: Context, emitter: Emitter): ReturnType<ForTag['render']> {
    // A range pays for its elements when it is made.
    if (!TypeGuards.isRangeToken(this.collection)) {
      const list: unknown = toValue(yield evalToken(this.collection, context))
      if (Array.isArray(list)) context.memoryLimit.use(list.length)
    }
    yield super.render(context, emitter)
  }
}

/** Lists are equal when all of their elements are, and each branch compares them again. */
class Case extends CaseTag {
  override *render(context: Context, emitter: Emitter): ReturnType<CaseTag['render']> {
    const target = toValue(yield this.value.value(context, true))
    if (Array.isArray(target)) {
      const values = this.branches.reduce((sum, branch) => sum + branch.values.length, 0)
      context.memoryLimit.use(unitsPer.element * target.length * values)
    }
    yield super.render(context, emitter)
  }
}

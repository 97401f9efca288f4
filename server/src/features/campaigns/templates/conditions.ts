import { type Context, IfTag, toValue, UnlessTag, type Value } from 'liquidjs'

/** No value, a text of blanks, or a list of nothing else: nothing that a reader would see. */
export function isBlank(value: unknown, limit?: Context['memoryLimit']): boolean {
  const plain: unknown = toValue(value)
  limit?.use(callUnits + (typeof plain === 'string' ? plain.length : 0))
  if (Array.isArray(plain)) return plain.every((each) => isBlank(each, limit))
  return plain === null || plain === undefined || (typeof plain === 'string' && !plain.trim())
}

const callUnits = 4

/**
 * What a condition goes by. A blank counts as nothing, as it does where its value should stand: Liquid
 * would take it for something, and the mail would then lack what it says only of those who have it.
 */
export const unlessBlank = (value: unknown, context: Context): unknown =>
  isBlank(value, context.memoryLimit) ? null : value

function passOverBlanks(branches: { value: Value }[]) {
  for (const { value } of branches) {
    const evaluate = value.value.bind(value)
    value.value = function* (context, lenient) {
      return unlessBlank(yield evaluate(context, lenient), context)
    }
  }
}

export class If extends IfTag {
  constructor(...parts: ConstructorParameters<typeof IfTag>) {
    super(...parts)
    passOverBlanks(this.branches)
  }
}

export class Unless extends UnlessTag {
  constructor(...parts: ConstructorParameters<typeof UnlessTag>) {
    super(...parts)
    passOverBlanks(this.branches)
  }
}

import { type Context, IfTag, toValue, UnlessTag, type Value } from 'liquidjs'

/**
 * What a condition goes by. An empty text counts as nothing, as it does where its value should stand:
 * Liquid would take it for something, and the mail would then lack what it says only of those who have it.
 */
export function unlessBlank(value: unknown, context: Context): unknown {
  const plain: unknown = toValue(value)
  if (typeof plain !== 'string') return value
  context.memoryLimit.use(plain.length)
  return plain.trim() ? value : null
}

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

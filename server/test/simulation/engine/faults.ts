import type { Result } from './backends.ts'
import type { Conditions } from './conditions.ts'
import type { Call } from './connection.ts'

/** A mistake that the code does not make, put between it and the database. */
export interface Fault<F extends Conditions = Conditions> {
  name: string
  /** The mistake, in one sentence. */
  about: string
  /** It shows in any conditions, but sooner in these. */
  conditions: Partial<F>
  /** Made anew for each simulation: some remember what they have seen. */
  create: () => (call: Call) => Promise<Result>
}

export const pass = ({ connection, text, values }: Call) => connection.send(text, values)

/** A wrong statement in the place of the right one. */
export const rewriting = <F extends Conditions>(
  name: string,
  about: string,
  conditions: NoInfer<Partial<F>>,
  pattern: RegExp,
  ...replacements: [from: RegExp, to: string][]
): Fault<F> => ({
  ...{ name, about, conditions },
  create: () => (call) => {
    const { connection, text, values } = call
    if (!pattern.test(text)) return pass(call)
    const wrong = replacements.reduce((rewritten, [from, to]) => rewritten.replace(from, to), text)
    if (wrong === text) endAll(`${name} no longer changes its statement`)
    return connection.send(wrong, values)
  },
})

/** What the database answers to a statement, bent. */
export const answering = <F extends Conditions>(
  name: string,
  about: string,
  conditions: NoInfer<Partial<F>>,
  pattern: RegExp,
  bend: (rows: Result['rows']) => Result['rows'],
): Fault<F> => ({
  ...{ name, about, conditions },
  create: () => async (call) => {
    const result = await pass(call)
    return pattern.test(call.text) ? { ...result, rows: bend(result.rows) } : result
  },
})

/** A fault that is none would be caught, or not, for the wrong reason: nobody may catch this. */
function endAll(why: string) {
  setImmediate(() => {
    throw new Error(why)
  })
}

/** A statement of a transaction that is committed by itself, on another connection. */
export const aside = <F extends Conditions>(
  name: string,
  about: string,
  conditions: NoInfer<Partial<F>>,
  pattern: RegExp,
): Fault<F> => ({
  ...{ name, about, conditions },
  create: () => (call) => {
    const { process, text, values } = call
    if (!pattern.test(text)) return pass(call)
    return process.pool.aside((connection) => connection.send(text, values))
  },
})

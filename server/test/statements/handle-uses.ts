import { type KyselyPlugin, PostgresQueryCompiler } from 'kysely'
import { free } from '../database.ts'

/** Of which handles a statement of the builder was asked. */
export interface Uses {
  /** Of one that is bound to no workspace. */
  unbound: boolean
  bound: boolean
  /** Numbers of the parameters that were the handle's workspace each time. */
  own: Set<number>
}

/** Notes of each text of which handles it was asked, and with what. */
export class HandleUses {
  readonly #uses = new Map<string, Uses>()
  readonly #compiler = new PostgresQueryCompiler()

  of = (text: string): Uses | undefined => this.#uses.get(text)

  /** @param workspaceId that the handle is bound to, if it is bound */
  watch = (workspaceId: string | undefined): KyselyPlugin => ({
    transformQuery: ({ node, queryId }) => {
      if (workspaceId !== free) {
        const { sql, parameters } = this.#compiler.compileQuery(node, queryId)
        this.#note(sql, parameters, workspaceId)
      }
      return node
    },
    transformResult: async ({ result }) => result,
  })

  #note(text: string, parameters: readonly unknown[], workspaceId: string | undefined) {
    const known = this.#uses.get(text)
    const uses = known ?? { unbound: false, bound: false, own: numbersOf(parameters) }
    if (!known) this.#uses.set(text, uses)
    if (workspaceId === undefined) uses.unbound = true
    else {
      uses.bound = true
      for (const number of uses.own) {
        if (parameters[number - 1] !== workspaceId) uses.own.delete(number)
      }
    }
  }
}

const numbersOf = (parameters: readonly unknown[]) => new Set(parameters.map((_, at) => at + 1))

import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely } from 'kysely'
import type { Context } from '../src/kernel/context.ts'

type Network = Pick<Context, 'lookup' | 'lookupMail' | 'lookupText' | 'http' | 'mail' | 'sleep'>

const members = ['lookup', 'lookupMail', 'lookupText', 'http', 'mail', 'sleep'] as const

// While a transaction is open, this says so to everything that its work calls.
const transactions = new AsyncLocalStorage<{ isOpen: boolean }>()

const begin = Kysely.prototype.transaction
Kysely.prototype.transaction = function (this: Kysely<unknown>) {
  const builder = begin.call(this)
  const execute = builder.execute.bind(builder)
  builder.execute = (work) => {
    const transaction = { isOpen: true }
    const close = () => {
      transaction.isOpen = false
    }
    // The very promise of the transaction goes back: the simulations count on when it resolves.
    const done = execute((tx) => transactions.run(transaction, () => work(tx)))
    done.then(close, close)
    return done
  }
  return builder
}

/**
 * Nobody may wait for the network, or sleep, while a transaction is open: it holds a connection and
 * locks for as long. Whoever does gets an error; should that be swallowed, `violations` still has it.
 * What a test puts in the place of a member later is held to it as well.
 */
export function guardNetwork(ctx: Network): { violations: string[] } {
  const violations: string[] = []
  for (const name of members) {
    let guarded: unknown = guard(ctx[name], name)
    Object.defineProperty(ctx, name, {
      enumerable: true,
      get: () => guarded,
      set: (value: Network[typeof name]) => {
        guarded = guard(value, name)
      },
    })
  }

  function guard<T extends object>(value: T, name: string): T {
    return new Proxy(value, {
      apply(target, self, args) {
        refuse(name)
        return Reflect.apply(target as () => unknown, self, args)
      },
      get(target, member) {
        const found: unknown = Reflect.get(target, member, target)
        if (typeof value === 'function' || typeof found !== 'function') return found
        return (...args: unknown[]) => {
          if (member !== 'close') refuse(`${name}.${String(member)}`)
          return Reflect.apply(found, target, args)
        }
      },
    })
  }

  function refuse(name: string) {
    if (!transactions.getStore()?.isOpen) return
    const error = new Error(`ctx.${name} was called while a transaction was open.`)
    violations.push(`${error.stack}`)
    throw error
  }

  return { violations }
}

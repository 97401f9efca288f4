/** What tests wait on: who makes something happen raises it, and who waits for that looks again. */
export interface Signal {
  raise: () => void
  /** Resolves with what `look` finds once that is something; null, as a column has it, is nothing. */
  until: <T>(look: () => Look<T> | Promise<Look<T>>) => Promise<T>
}

type Look<T> = T | null | undefined | false

export function createSignal(): Signal {
  let next = Promise.withResolvers<void>()
  return {
    raise() {
      next.resolve()
      next = Promise.withResolvers()
    },
    async until(look) {
      for (;;) {
        // Asked for before the look: what happens during it is looked at again.
        const { promise } = next
        const found = await look()
        if (found !== undefined && found !== null && found !== false) return found
        await promise
      }
    },
  }
}

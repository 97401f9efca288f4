/** Bytes of all drafts that are not settled yet, and of those of one workspace. */
const bytesMax = 8 * 1024 * 1024
const workspaceBytesMax = bytesMax / 3

/**
 * Bounds the memory of mails that are made and not settled yet: one may have a megabyte, and hundreds
 * of mailboxes send at once. Servers that hang keep no more than the room of their own workspace.
 */
export class DraftRoom {
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0
  #waiting: (() => void)[] = []
  #making: Promise<unknown> = Promise.resolve()

  /**
   * Waits for room, and for what others make: each sees what those before it take. What is parsed on the
   * way is then in memory once as well.
   */
  async make<T>(workspaceId: string, make: () => Promise<T>): Promise<T> {
    for (;;) {
      while (!this.#has(workspaceId)) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
      const made = await this.makeIfRoom(workspaceId, async () => ({ it: await make() }))
      if (made) return made.it
    }
  }

  /** Makes a draft only if there is room now, for a caller who holds room already and would wait for itself. */
  makeIfRoom<T>(workspaceId: string, make: () => Promise<T>): Promise<T | undefined> {
    const making = this.#making.then(() => (this.#has(workspaceId) ? make() : undefined))
    this.#making = making.catch(() => undefined)
    return making
  }

  /** @returns gives the bytes back, once however often it is called */
  take(workspaceId: string, bytes: number): () => void {
    this.#add(workspaceId, bytes)
    let isTaken = true
    return () => {
      if (isTaken) this.#add(workspaceId, -bytes)
      isTaken = false
    }
  }

  #has(workspaceId: string): boolean {
    return this.#bytes < bytesMax && (this.#bytesOf.get(workspaceId) ?? 0) < workspaceBytesMax
  }

  #add(workspaceId: string, bytes: number) {
    this.#bytes += bytes
    const own = (this.#bytesOf.get(workspaceId) ?? 0) + bytes
    if (own > 0) this.#bytesOf.set(workspaceId, own)
    else this.#bytesOf.delete(workspaceId)
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

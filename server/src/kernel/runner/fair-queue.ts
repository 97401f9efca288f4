/** Items of several workspaces, taken in turn by workspace, then in turn within it. No item twice. */
export class FairQueue<T> {
  readonly #workspaces = new Map<string, Set<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(workspaceId: string, item: T) {
    const items = this.#workspaces.get(workspaceId)
    if (!items) this.#workspaces.set(workspaceId, new Set([item]))
    else if (items.has(item)) return
    else items.add(item)
    this.#size += 1
  }

  delete(workspaceId: string, item: T) {
    const items = this.#workspaces.get(workspaceId)
    if (!items?.delete(item)) return
    this.#size -= 1
    if (items.size === 0) this.#workspaces.delete(workspaceId)
  }

  /**
   * Removes and returns the next item; its workspace goes to the end of the line.
   *
   * @param mayTake of this workspace; the others keep their places
   */
  take(mayTake: (workspaceId: string) => boolean = () => true): T | undefined {
    for (const [workspaceId, items] of this.#workspaces) {
      if (!mayTake(workspaceId)) continue
      this.#workspaces.delete(workspaceId)
      for (const item of items) {
        items.delete(item)
        this.#size -= 1
        if (items.size > 0) this.#workspaces.set(workspaceId, items)
        return item
      }
    }
  }
}

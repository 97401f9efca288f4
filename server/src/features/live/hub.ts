import { readMessage } from './message.ts'

/** A page that is connected to this process. */
export interface ConnectedPage {
  workspaceId: string
  userId: string | null
  /** `*` is everything. */
  tell: (topics: string[]) => void
  /** Ends it when whoever has it open may no longer see the workspace. */
  check: () => void
  end: () => void
}

/**
 * Calls back on what other processes tell, and after a gap in which something may have been missed.
 *
 * @returns a function that ends it
 */
export type ListenForChanges = (on: {
  message: (message: string) => void
  gap: () => void
}) => Promise<() => Promise<void>>

/** The pages that are connected to this process. It listens from the first one on. */
export class Hub {
  readonly #listen: ListenForChanges
  readonly #pages = new Map<string, Set<ConnectedPage>>()
  #listening: Promise<() => Promise<void>> | undefined

  constructor(listen: ListenForChanges) {
    this.#listen = listen
  }

  /** @throws while nothing can be heard of changes; the next call tries again */
  async listen(): Promise<void> {
    this.#listening ??= this.#listen({
      message: (message) => this.#hear(message),
      gap: () => this.#tellAll(),
    })
    await this.#listening.catch((error) => {
      this.#listening = undefined
      throw error
    })
  }

  /** @returns a function that takes it out again */
  join(page: ConnectedPage): () => void {
    const pages = this.#pages.get(page.workspaceId) ?? new Set()
    this.#pages.set(page.workspaceId, pages.add(page))
    return () => {
      pages.delete(page)
      if (pages.size === 0 && this.#pages.get(page.workspaceId) === pages)
        this.#pages.delete(page.workspaceId)
    }
  }

  /** How many pages a person has open, in all workspaces. */
  countOf(userId: string | null): number {
    return this.#all().filter((page) => page.userId === userId).length
  }

  async close(): Promise<void> {
    for (const page of this.#all()) page.end()
    const listening = this.#listening
    this.#listening = undefined
    const unlisten = await listening?.catch(() => undefined)
    await unlisten?.()
  }

  #hear(message: string) {
    for (const [workspaceId, topics] of readMessage(message)) {
      for (const page of this.#pages.get(workspaceId) ?? []) {
        page.tell(topics)
        // Somebody may have been taken out.
        if (topics.includes('members')) page.check()
      }
    }
  }

  #tellAll() {
    for (const page of this.#all()) page.tell(['*'])
  }

  #all = (): ConnectedPage[] => [...this.#pages.values()].flatMap((pages) => [...pages])
}

import { measureDeliveryLog } from './application/delivery-log.ts'
import { measureIdlePages } from './application/idle-pages.ts'
import { measureImport } from './application/import.ts'
import { measureLeadList } from './application/lead-list.ts'
import { measurePages } from './application/pages.ts'
import { measureReply } from './application/reply.ts'
import { openStage, type Stage } from './application/stage.ts'
import type { Figure } from './figure.ts'

export const parts: Record<string, (stage: Stage) => Promise<Figure[]>> = {
  import: measureImport,
  list: measureLeadList,
  log: measureDeliveryLog,
  pages: measurePages,
  reply: measureReply,
  idle: measureIdlePages,
}

/** The application in a real browser, at `outrider api` and `outrider runner`, each part on a database of its own. */
export async function bench(only: string[] = Object.keys(parts)): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const part of only) {
    await using stage = await openStage()
    figures.push(...((await parts[part]?.(stage)) ?? []))
  }
  return figures
}

import { measureDeliveryLog } from './application/delivery-log.ts'
import { measureIdlePages } from './application/idle-pages.ts'
import { measureImport } from './application/import.ts'
import { measureLeadList } from './application/lead-list.ts'
import { measurePages } from './application/pages.ts'
import { measureReply } from './application/reply.ts'
import { openStage, type Stage } from './application/stage.ts'
import type { EachPart, Figure } from './figure.ts'

type Part = (stage: Stage) => Promise<Figure[]>

export const parts: Record<string, Part> = {
  import: measureImport,
  list: measureLeadList,
  log: measureDeliveryLog,
  pages: measurePages,
  reply: measureReply,
  idle: measureIdlePages,
}

/** The application in a real browser, at `outrider api` and `outrider runner`, each part on a database of its own. */
export function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  return eachPart(async (part) => {
    await using stage = await openStage()
    return await part(stage)
  })
}

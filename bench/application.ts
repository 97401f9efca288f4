import { type ApplicationBench, openApplicationBench } from './application/application-bench.ts'
import { measureDeliveryLog } from './application/delivery-log.ts'
import { measureIdlePages } from './application/idle-pages.ts'
import { measureImport } from './application/import.ts'
import { measureLeadList } from './application/lead-list.ts'
import { measurePages } from './application/pages.ts'
import { measureReply } from './application/reply.ts'
import type { EachPart, Figure } from './figure.ts'

type Part = (bench: ApplicationBench) => Promise<Figure[]>

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
    await using opened = await openApplicationBench()
    return await part(opened)
  })
}

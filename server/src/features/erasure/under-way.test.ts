import { expect, test } from 'vitest'
import { testDelivering } from '../../../test/delivering.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { eraseLead } from './index.ts'

const person = 'ada@lead.example'

test.each([200, 500])(
  'a delivery that is under way when its person is erased, and answered by %i, names nobody',
  async (status) => {
    await using stack = new AsyncDisposableStack()
    const service = stack.use(await testDelivering())
    const answer = Promise.withResolvers<void>()
    const receiver = stack.use(
      await startReceiver(async (_received, response) => {
        await answer.promise
        response.writeHead(status).end(`Thank you, ${person}.`)
      }),
    )
    const { id } = await service.createWebhook(receiver.url)
    await service.emit([{ leadEmail: person }])
    await receiver.waitFor(1)
    await eraseLead(service.ctx, person)
    answer.resolve()
    const [attempt] = await service.waitForAttempts(id, 1)
    expect(attempt).toMatchObject({ status_code: status })
    expect(await tablesWith(service.ctx.database.peek, person)).toEqual([])
  },
)

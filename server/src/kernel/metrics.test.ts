import { expect, test } from 'vitest'
import { createMetrics, type Metrics } from './metrics.ts'

test('requests are counted by method, route pattern and status, in seconds', async () => {
  const metrics = createMetrics()
  metrics.request({ method: 'GET', route: '/api/v2/campaigns/:id', status: 200, ms: 3 })
  const text = await metrics.text()
  const labels = 'method="GET",route="/api/v2/campaigns/:id",status="200"'
  expect(text).toContain(`outrider_http_request_duration_seconds_count{${labels}} 1`)
  expect(text).toContain(`outrider_http_request_duration_seconds_sum{${labels}} 0.003`)
})

test('deliveries are counted by outcome, one or many at once', async () => {
  const metrics = createMetrics()
  metrics.delivery('succeeded')
  metrics.delivery('succeeded', 15)
  metrics.delivery('gave_up')
  const text = await metrics.text()
  expect(text).toContain('outrider_deliveries_total{outcome="succeeded"} 16')
  expect(text).toContain('outrider_deliveries_total{outcome="gave_up"} 1')
})

test('every outcome has a series before anything has come of a delivery or a mail', async () => {
  const values = valuesIn(await createMetrics().text())
  for (const outcome of ['succeeded', 'will_retry', 'gave_up', 'not_sent']) {
    expect(values[`outrider_deliveries_total{outcome="${outcome}"}`]).toBe('0')
  }
  for (const outcome of ['sent', 'failed', 'uncertain']) {
    expect(values[`outrider_mails_total{outcome="${outcome}"}`]).toBe('0')
  }
})

test('gauges are read at every scrape, and one that fails neither hides the others nor says 0', async () => {
  const metrics = createMetrics()
  const readings = [7, 8]
  metrics.gauge('outrider_deliveries_pending', () => Promise.resolve(readings.shift() ?? 0))
  metrics.gauge('outrider_database_connections', () => ({ idle: 3, waiting: 1 }))
  metrics.gauge('outrider_lanes_leased', () => {
    throw new Error('away')
  })
  metrics.gauge('outrider_deliveries_oldest_due_seconds', () => Promise.reject(new Error('away')))
  const values = valuesIn(await metrics.text())
  expect(values).not.toHaveProperty('outrider_lanes_leased')
  expect(values).not.toHaveProperty('outrider_deliveries_oldest_due_seconds')
  expect(values).toMatchObject({
    outrider_deliveries_pending: '7',
    'outrider_database_connections{state="idle"}': '3',
    'outrider_database_connections{state="waiting"}': '1',
    outrider_settlements_refused_total: '0',
  })
  expect(valuesIn(await metrics.text())).toMatchObject({ outrider_deliveries_pending: '8' })
})

test('a gauge that is set again replaces the first', async () => {
  const metrics = createMetrics()
  metrics.gauge('outrider_lanes_leased', () => 1)
  metrics.gauge('outrider_lanes_leased', () => 2)
  expect(valuesIn(await metrics.text())).toMatchObject({
    outrider_lanes_leased: '2',
    outrider_settlements_refused_total: '0',
  })
})

/** All of them, as the type check says. */
const gauges: Record<Parameters<Metrics['gauge']>[0], true> = {
  outrider_deliveries_pending: true,
  outrider_deliveries_oldest_due_seconds: true,
  outrider_webhooks_failing: true,
  outrider_moves_left: true,
  outrider_lanes_leased: true,
  outrider_results_refused: true,
  outrider_mailboxes_awake: true,
  outrider_sending_held: true,
  outrider_mailboxes: true,
  outrider_mails_waiting: true,
  outrider_mailboxes_read: true,
  outrider_mailboxes_waiting: true,
  outrider_imap_connections: true,
  outrider_database_connections: true,
}

test('names are as the check of Prometheus wants them', async () => {
  const metrics = createMetrics()
  metrics.observeProcess()
  for (const name of Object.keys(gauges)) metrics.gauge(name as keyof typeof gauges, () => 1)
  const text = await metrics.text()
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  expect(types.length).toBeGreaterThan(30)
  for (const [, name = '', type] of types) {
    expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
    // The suffixes tell counters and the parts of histograms from all else; units are seconds and bytes.
    expect({ name, type }).toEqual({
      name,
      type: /_total$/.test(name) ? 'counter' : expect.stringMatching(/^(gauge|histogram)$/),
    })
    expect(name).not.toMatch(
      /_(count|sum|bucket|milliseconds|ms|kilobytes|gauge|counter|histogram)$/,
    )
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'))
  }
})

const valuesIn = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.startsWith('outrider_'))
      .map((line) => line.split(' ')),
  )

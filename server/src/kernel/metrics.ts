import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * What a process tells Prometheus. Labels are route patterns, statuses and closed lists of words:
 * never an id, an address or a URL.
 */
export interface Metrics {
  request(request: { method: string; route: string; status: number; ms: number }): void
  /** Counts attempts that ended; `gave_up` is the end of a delivery, also without an attempt; `not_sent` never left us. */
  delivery(outcome: DeliveryOutcome, count?: number): void
  /** Counts results of mails that the database refused to record. */
  settlementRefused(): void
  /** Counts mails of campaigns whose result was recorded. */
  mail(outcome: (typeof mailOutcomes)[number]): void
  /** Read at every scrape; a reading that fails is left out of it. Set again: replaces. */
  gauge(name: GaugeName, read: Reader): void
  /** These metrics, with gauges of one of several databases. */
  ofShard(name: string): Metrics
  /** CPU, memory and event loop of this process; once per process. */
  observeProcess(): void
  contentType: string
  text(): Promise<string>
}

const deliveryOutcomes = ['succeeded', 'will_retry', 'gave_up', 'not_sent'] as const
const mailOutcomes = ['sent', 'failed', 'uncertain'] as const
type DeliveryOutcome = (typeof deliveryOutcomes)[number]
type GaugeName = keyof typeof gauges
/** One number, or one for each value of the gauge's label. */
type Readings = number | Record<string, number>

const gauges = {
  outrider_deliveries_pending: {
    help: 'Deliveries that are not settled, of the destinations that this process owns',
  },
  outrider_deliveries_oldest_due_seconds: {
    help: 'How long the delivery that is most overdue has been due, of the active destinations that this process owns and that do not fail',
  },
  outrider_webhooks_failing: {
    help: 'Active destinations that have failed for an hour, of all workspaces: "outrider doctor" names them',
  },
  outrider_lanes_leased: { help: 'Destinations with due work in the leases of this process' },
  outrider_results_refused: {
    help: 'Results of deliveries that the database refuses, tried again every minute by this process',
  },
  outrider_mailboxes_awake: { help: 'Mailboxes that this process sends from at this moment' },
  outrider_sending_held: {
    help: '1 while mails are held after a restore or a failover: "outrider doctor" says why',
  },
  outrider_moves_left: {
    help: 'Workspaces that send nothing as their move was begun and left: "outrider doctor" names them',
  },
  outrider_mailboxes: { help: 'Mailboxes of all workspaces', label: 'status' },
  outrider_mails_waiting: {
    help: 'Leads of active campaigns whose next mail is due by its delay alone, of all workspaces',
  },
  outrider_mailboxes_read: { help: 'Mailboxes whose mail this process reads' },
  outrider_mailboxes_waiting: {
    help: 'Of these, mailboxes that wait for an IMAP connection (IMAP_CONNECTIONS)',
  },
  outrider_imap_connections: { help: 'IMAP connections that this process has open or is opening' },
  outrider_database_connections: {
    help: 'Connections of the pools of this process',
    label: 'state',
  },
} as const satisfies Record<string, { help: string; label?: string }>

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new Histogram({
    name: 'outrider_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'outrider_deliveries_total',
    help: 'Delivery attempts that ended in this process, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const settlementsRefused = new Counter({
    name: 'outrider_settlements_refused_total',
    help: 'Results of mails that the database refused to record; see "outrider sends uncertain"',
    registers: [registry],
  })
  const mails = new Counter({
    name: 'outrider_mails_total',
    help: 'Mails of campaigns whose result this process recorded, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // An alarm on the growth of a series sees nothing of one that begins with its first count.
  for (const outcome of deliveryOutcomes) deliveries.inc({ outcome }, 0)
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0)
  const readers = new Map<GaugeName, Map<string, Reader>>()
  const gaugeOf = (shard: string) => (name: GaugeName, read: Reader) => {
    const known = readers.get(name)
    if (known) return void known.set(shard, read)
    const ofShards = new Map([[shard, read]])
    readers.set(name, ofShards)
    register(registry, name, ofShards)
  }
  const metrics: Metrics = {
    request: ({ method, route, status, ms }) =>
      requests.observe({ method, route, status }, ms / 1000),
    delivery: (outcome, count = 1) => deliveries.inc({ outcome }, count),
    settlementRefused: () => settlementsRefused.inc(),
    mail: (outcome) => mails.inc({ outcome }),
    gauge: gaugeOf(''),
    ofShard: (name) => ({ ...metrics, gauge: gaugeOf(name) }),
    observeProcess() {
      collectDefaultMetrics({ register: registry })
      // Gauges under the names of counters, which Prometheus' own check refuses.
      for (const kind of ['handles', 'requests', 'resources']) {
        registry.removeSingleMetric(`nodejs_active_${kind}_total`)
      }
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
  return metrics
}

type Reader = () => Readings | Promise<Readings>

/** @param readers by shard; '' where there is one database */
function register(registry: Registry, name: GaugeName, readers: Map<string, Reader>) {
  const { help, label }: { help: string; label?: string } = gauges[name]
  new Gauge({
    name,
    help,
    labelNames: ['shard', ...(label ? [label] : [])],
    registers: [registry],
    async collect() {
      // One that cannot be read, as while the database is away, must neither hide the others nor
      // stand there as 0.
      const read = await Promise.all([...readers].map(readLabelled))
      this.reset()
      for (const [labels, value] of read.flat()) this.set(labels, value)
    },
  })

  async function readLabelled([shard, reader]: [string, Reader]) {
    const readings = await Promise.resolve()
      .then(reader)
      .catch(() => ({}))
    const labels: Record<string, string> = shard === '' ? {} : { shard }
    if (typeof readings === 'number') return [[labels, readings] as const]
    return Object.entries(readings).map(
      ([value, reading]) => [{ ...labels, [String(label)]: value }, reading] as const,
    )
  }
}

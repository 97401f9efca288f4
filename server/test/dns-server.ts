import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import dnsPacket, { type Answer, type Question } from 'dns-packet'

/** Addresses (of the type that was asked), whole records, or how the question fails. */
export type DnsReply = (string | Answer)[] | 'NXDOMAIN' | 'SERVFAIL' | 'SILENCE'

export interface DnsServer extends AsyncDisposable {
  port: number
  questions: { name: string; type: string }[]
  /** A resolver of node:dns that asks only this server, and waits 250 ms for it by default. */
  resolver(timeoutMs?: number): Resolver
  close(): Promise<void>
}

/**
 * A DNS server on loopback (UDP). `reply` gets the name, the type and how often exactly this was
 * asked before, so that it can change its mind.
 */
export async function startDnsServer(
  reply: (name: string, type: string, askedBefore: number) => DnsReply,
): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const questions: DnsServer['questions'] = []
  socket.on('message', (message, { address, port }) => {
    const { id = 0, questions: asked = [] } = dnsPacket.decode(message)
    const question = asked[0]
    if (question === undefined) return
    const { name, type } = question
    const before = questions.filter((one) => one.name === name && one.type === type)
    questions.push({ name, type })
    const answer = reply(name, type, before.length)
    if (answer !== 'SILENCE') socket.send(encode(id, question, answer), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()

  const close = async () => {
    socket.close()
    await once(socket, 'close')
  }
  return {
    port,
    questions,
    resolver(timeoutMs = 250) {
      const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
      resolver.setServers([`127.0.0.1:${port}`])
      return resolver
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const RESPONSE_CODES: Record<string, number> = { SERVFAIL: 2, NXDOMAIN: 3 }

function encode(id: number, question: Question, answer: (string | Answer)[] | string): Buffer {
  const records = Array.isArray(answer) ? answer : []
  return dnsPacket.encode({
    type: 'response',
    id,
    // The response code is the low four bits of the flags (RFC 1035 §4.1.1).
    flags: dnsPacket.RECURSION_DESIRED | (RESPONSE_CODES[String(answer)] ?? 0),
    questions: [question],
    answers: records.map((record) =>
      typeof record === 'string'
        ? ({ name: question.name, type: question.type, ttl: 0, data: record } as Answer)
        : record,
    ),
  })
}

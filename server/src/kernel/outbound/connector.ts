import {
  connect as connectTcp,
  type LookupFunction,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net'
import { connect as connectTls } from 'node:tls'
import { classifyConnect, classifyLookup, OutboundError } from './failure.ts'
import type { LookupFn } from './lookup.ts'
import { type AddressPolicy, findLiteral, judgeAddress } from './policy.ts'

interface Endpoint {
  hostname: string
  port: string
  protocol: string
}

/** Calls back once, with an open socket or an OutboundError. Answers with what gives up early. */
export type Connector = (
  endpoint: Endpoint,
  budgetMs: number,
  callback: (...result: [null, Socket] | [Error, null]) => void,
) => () => void

/** One of several addresses gets this long before the next is tried; the last gets the rest. */
const nextAddressMs = 500
const tcpKeepAliveMs = 60_000
const tlsSessionsMax = 1_000

/**
 * Opens sockets only to addresses the policy allows. Node connects to exactly the addresses that
 * the guard answers, so none can change between the check and the connection; for a literal
 * address it never asks the guard, so that is judged first.
 */
export function createConnector(policy: AddressPolicy, lookup: LookupFn): Connector {
  const guard = guardLookup(policy, shareInFlight(lookup))
  const sessions = new Map<string, Buffer>()

  return ({ hostname, port, protocol }, budgetMs, callback) => {
    const literal = findLiteral(hostname)
    if (literal !== undefined && !judgeAddress(policy, literal)) {
      queueMicrotask(() => callback(blocked(), null))
      return () => {}
    }

    const isTls = protocol === 'https:'
    let stage = literal === undefined ? 'looking up the host name' : 'connecting'
    const target = {
      host: literal ?? hostname,
      port: Number(port || (isTls ? 443 : 80)),
      lookup: guard,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: nextAddressMs,
    }
    const socket = isTls ? openTls(target, literal === undefined, sessions) : connectTcp(target)
    socket.setNoDelay(true).setKeepAlive(true, tcpKeepAliveMs)
    socket.once('lookup', () => {
      stage = 'connecting'
    })
    socket.once('connect', () => {
      stage = 'in the TLS handshake'
    })

    let isSettled = false
    const settle = (...result: [null, Socket] | [Error, null]) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      callback(...result)
    }
    const giveUp = () => {
      if (!isSettled) socket.destroy(new OutboundError({ error: 'timeout', detail: stage }))
    }
    // One poll phase first: after a stall of this process the connection may already stand.
    const timer = setTimeout(() => setImmediate(giveUp), budgetMs)
    socket.once(isTls ? 'secureConnect' : 'connect', () => settle(null, socket))
    socket.on('error', (error) => {
      const failure = classifyConnect(error, stage === 'in the TLS handshake')
      settle(new OutboundError(failure), null)
    })
    return () => {
      isSettled = true
      clearTimeout(timer)
      socket.destroy()
    }
  }
}

function openTls(target: TcpNetConnectOpts, isNamed: boolean, sessions: Map<string, Buffer>) {
  const key = `${target.host}:${target.port}`
  const session = sessions.get(key)
  const socket = connectTls({
    ...target,
    // RFC 6066 §3: a server name is never an address and has no trailing dot.
    ...(isNamed && { servername: (target.host ?? '').replace(/\.$/, '') }),
    ...(session && { session }),
    // One request per connection at a time is counted on, so HTTP/2 is not offered.
    ALPNProtocols: ['http/1.1'],
  })
  socket.on('session', (ticket) => {
    sessions.delete(key)
    sessions.set(key, ticket)
    if (sessions.size > tlsSessionsMax) sessions.delete(sessions.keys().next().value ?? '')
  })
  return socket
}

/** A look-up for Node's sockets that answers only what the policy allows; names, never literals. */
export function guardLookup(policy: AddressPolicy, lookup: LookupFn): LookupFunction {
  return (hostname, _options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const allowed = addresses.filter((address) => judgeAddress(policy, address))
        if (addresses.length === 0) callback(noAddress(), [])
        else if (allowed.length === 0) callback(blocked(), [])
        else callback(null, allowed.map(withFamily))
      },
      (error: unknown) => {
        callback(new OutboundError(classifyLookup(error)), [])
      },
    )
  }
}

/** Connections opened together ask once; each judges the answer for itself. */
function shareInFlight(lookup: LookupFn): LookupFn {
  const inFlight = new Map<string, Promise<string[]>>()
  return (hostname) => {
    const asked = inFlight.get(hostname)
    if (asked !== undefined) return asked
    const answer = lookup(hostname).finally(() => inFlight.delete(hostname))
    inFlight.set(hostname, answer)
    return answer
  }
}

const withFamily = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 })

const noAddress = () => new OutboundError({ error: 'dns_error', detail: null })
const blocked = () => new OutboundError({ error: 'blocked_address', detail: null })

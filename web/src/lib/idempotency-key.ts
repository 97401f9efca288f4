import { useRef } from 'react'

/**
 * The Idempotency-Key of what a form sends: pressing the button again after a lost answer sends the same
 * key, so that the server does it once. `renew` when something else is to be done: after a success, or
 * when the form has changed.
 */
export function useIdempotencyKey() {
  const last = useRef<{ key: string; action: string }>(undefined)
  return {
    /** @param action what is to be done, where one form does several things */
    headers: (action = '') => {
      if (last.current?.action !== action) last.current = { key: randomKey(), action }
      return { 'Idempotency-Key': last.current.key }
    },
    renew: () => {
      last.current = undefined
    },
  }
}

/** 128 random bits. `randomUUID` is missing where a page comes by plain HTTP and not from localhost. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (octet) =>
    octet.toString(16).padStart(2, '0'),
  ).join('')

/** Of an address of a try-out receiver; undefined for every other. */
export const tryOutTokenOf = (url: string): string | undefined =>
  /\/app\/try\/([\w-]{64})$/.exec(url)?.[1]

/**
 * The IANA spelling of a zone or alias, whatever its case; nothing for an offset such as `+02:00`
 * or for a zone this runtime does not know.
 */
export function canonicalZone(name: string): string | undefined {
  // Temporal would also take an offset or a whole timestamp.
  if (!/^[a-z][\w+/-]*$/i.test(name)) return
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    return
  }
}

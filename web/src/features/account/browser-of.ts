// From the most particular to the most general: each claims to be those after it.
const browsers: [mark: RegExp, name: string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [mark: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** "Firefox, Windows": as much of a user agent as tells one's own devices apart. */
export function browserOf(userAgent: string | null): string | undefined {
  const known = [browsers, systems].map((list) => list.find(([mark]) => mark.test(userAgent ?? '')))
  return known.flatMap((found) => (found ? [found[1]] : [])).join(', ') || undefined
}

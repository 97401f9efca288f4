const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Not countries, or of states that are no more; the directory leaves out the same. */
const withdrawn =
  'AC AN BU CP CS CQ DD DG DY EA EU EZ FX HV IC NH NT QO RH SU TA TP UN VD XA XB YD YU ZR ZZ'

/** In English, as the directory finds them whatever it was filled with. */
export function countryNames(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const regions = letters.flatMap((first) => letters.map((second) => first + second))
  const known = regions.filter((region) => !withdrawn.includes(region))
  // The United Kingdom has two codes.
  return [...new Set(known.flatMap((region) => names.of(region) ?? []))].sort()
}

import { zoneInBrowser } from '../../../lib/time.ts'

/** Browsers list some zones by the names that they had before. */
const newerNames = [
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Indiana/Indianapolis',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
]

/** Large cities whose zone is called after another one. */
const citiesOf: Record<string, string> = {
  'Africa/Johannesburg': 'Cape Town, Durban, Pretoria',
  'Africa/Lagos': 'Abuja',
  'America/Chicago': 'Austin, Dallas, Houston, Minneapolis, New Orleans, San Antonio, St. Louis',
  'America/Denver': 'Albuquerque, Salt Lake City',
  'America/Edmonton': 'Calgary',
  'America/Los_Angeles': 'Las Vegas, Portland, San Diego, San Francisco, San Jose, Seattle',
  'America/New_York': 'Atlanta, Boston, Charlotte, Miami, Orlando, Philadelphia, Washington',
  'America/Sao_Paulo': 'Brasilia, Rio de Janeiro',
  'America/Toronto': 'Montreal, Ottawa',
  'Asia/Dubai': 'Abu Dhabi',
  'Asia/Ho_Chi_Minh': 'Hanoi',
  'Asia/Jerusalem': 'Tel Aviv',
  'Asia/Karachi': 'Islamabad, Lahore',
  'Asia/Kolkata': 'Bangalore, Bengaluru, Chennai, Delhi, Hyderabad, Mumbai, New Delhi, Pune',
  'Asia/Shanghai': 'Beijing, Chengdu, Guangzhou, Shenzhen',
  'Asia/Tokyo': 'Kyoto, Nagoya, Osaka',
  'Australia/Sydney': 'Canberra',
  'Europe/Amsterdam': 'Rotterdam, The Hague, Utrecht',
  'Europe/Berlin': 'Cologne, Dusseldorf, Frankfurt, Hamburg, Leipzig, Munich, Stuttgart',
  'Europe/Brussels': 'Antwerp, Ghent',
  'Europe/Istanbul': 'Ankara',
  'Europe/Lisbon': 'Porto',
  'Europe/London': 'Birmingham, Edinburgh, Glasgow, Leeds, Manchester',
  'Europe/Madrid': 'Barcelona, Valencia',
  'Europe/Moscow': 'St. Petersburg',
  'Europe/Paris': 'Lyon, Marseille, Toulouse',
  'Europe/Rome': 'Florence, Milan, Naples, Turin',
  'Europe/Stockholm': 'Gothenburg, Malmo',
  'Europe/Warsaw': 'Gdansk, Krakow, Wroclaw',
  'Europe/Zurich': 'Basel, Bern, Geneva, Lausanne',
  'Pacific/Auckland': 'Wellington',
}

/** Every zone that the browser knows, with the one that is chosen. */
export const zonesWith = (chosen: string): string[] => {
  const zones = new Set([chosen, ...newerNames, ...Intl.supportedValuesOf('timeZone')])
  return ['UTC', ...[...zones].filter((zone) => zone !== 'UTC').sort()]
}

/** The zones that a name fits, of a place in one or of its country: the closest first. */
export function zonesNamed(search: string, zones: string[]): string[] {
  const sought = words(search)
  if (sought === '') return zones
  const closeness = (zone: string) => {
    const names = namesOf(zone)
    if (names.includes(sought)) return 0
    if (names.some((name) => name.startsWith(sought))) return 1
    return names.some((name) => name.includes(sought)) ? 2 : undefined
  }
  const found = Map.groupBy(zones, closeness)
  return ([0, 1, 2] as const).flatMap((rank) => found.get(rank) ?? [])
}

const words = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[_/.\s]+/g, ' ')
    .trim()
    .toLowerCase()

function namesOf(zone: string): string[] {
  countries ??= countriesOfZones()
  let names = known.get(zone)
  if (!names) {
    const cities = citiesOf[zone]?.split(', ') ?? []
    const within = countries.get(zone) ?? countries.get(zoneInBrowser(zone)) ?? []
    names = [zone, zone.split('/').at(-1) ?? zone, ...cities, ...within].map(words)
    known.set(zone, names)
  }
  return names
}

let countries: Map<string, string[]> | undefined
const known = new Map<string, string[]>()

/** By what the browser knows of them; one that does not tell the zones of a country finds none by it. */
function countriesOfZones(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const nameOf = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  for (const region of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = nameOf.of(region)
    if (name === undefined) continue
    const locale: TellsZones = new Intl.Locale('und', { region })
    for (const zone of locale.getTimeZones?.() ?? []) {
      found.set(zone, [...(found.get(zone) ?? []), name])
    }
  }
  return found
}

/** The library of types does not have it yet, nor do all browsers. */
type TellsZones = Intl.Locale & { getTimeZones?: () => string[] | undefined }

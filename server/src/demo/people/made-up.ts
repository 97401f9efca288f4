/** Somebody who does not exist, at a domain that cannot (RFC 2606). */
export interface MadeUpPerson {
  email: string
  first_name: string
  last_name: string
  company_name: string
  job_title: string
  city: string
}

const words = (text: string) => text.split(' ')

const given = words(
  'Ada Ben Carla David Emma Farid Greta Hugo Ines Jonas Kira Liam Mara Nils Olga Pablo Quinn Rosa Sami Tara Uma Viktor Wanda Xenia Yusuf Zoe Anton Bianca Cem Dora Elias Fiona Goran Hanna Igor Jasmin',
)
const family = words(
  'Adler Bauer Costa Dahl Ekman Ferrari Garcia Hansen Ivanov Jansen Kowalski Larsen Moreau Novak Okafor Petrov Quist Rossi Sato Torres Ulrich Vogel Weber Xu Yilmaz Zeman Arden Brook Castle Dover Ellis',
)
const first = words(
  'Amber Birch Cobalt Delta Ember Fjord Granite Harbor Indigo Juniper Kestrel Lumen Maple',
)
const second = words('Analytics Bikes Cargo Foods Hotels Instruments Labs Optics Robotics Travel')
const titles = ['Head of Sales', 'Founder', 'Operations Manager', 'Head of Marketing', 'CTO']
const cities = ['Berlin', 'Lyon', 'Porto', 'Gdansk', 'Utrecht', 'Bergen', 'Graz']

/** People who are the same every time, each with an address of their own. */
export function makeUpPeople(count: number): MadeUpPerson[] {
  const taken = new Set<string>()
  return Array.from({ length: count }, (_, number) => {
    const company = `${at(first, number)} ${at(second, number * 3 + Math.floor(number / 13))}`
    const person = {
      first_name: at(given, number),
      last_name: at(family, number * 7 + Math.floor(number / 31)),
    }
    const name = `${person.first_name}.${person.last_name}`.toLowerCase()
    const domain = `${company.toLowerCase().replace(' ', '-')}.example`
    const email = taken.has(`${name}@${domain}`)
      ? `${name}.${number}@${domain}`
      : `${name}@${domain}`
    taken.add(email)
    const rest = { job_title: at(titles, number), city: at(cities, number) }
    return { email, ...person, company_name: company, ...rest }
  })
}

const at = (list: string[], number: number): string => list[number % list.length] ?? ''

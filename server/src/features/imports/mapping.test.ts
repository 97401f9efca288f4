import { expect, test } from 'vitest'
import { checkMapping, guessMapping } from './mapping.ts'

/** What each heading becomes; variables by their names in braces, nothing for what is left out. */
const guess = (headings: string, ...rows: string[]) =>
  guessMapping({ headings: headings.split(','), rows: rows.map((row) => row.split(',')) })
    .map(({ target, variable }) => (target === 'variable' ? `{${variable}}` : target))
    .join(' ')

test.each([
  [
    'Instantly',
    'email,first_name,last_name,company_name,phone,website,personalization,jobTitle,Lead Status',
    'email first_name last_name company_name phone website personalization job_title {lead_status}',
  ],
  [
    'Smartlead',
    'first_name,last_name,email,phone_number,company_name,website,location,linkedin_profile,company_url',
    'first_name last_name email phone company_name website {location} {linkedin_profile} {company_url}',
  ],
  [
    'lemlist',
    'email,firstName,lastName,companyName,jobTitle,linkedinUrl,companyDomain,icebreaker,phone',
    'email first_name last_name company_name job_title {linkedin_url} company_domain personalization phone',
  ],
  [
    'Apollo',
    'First Name,Last Name,Title,Company Name,Company Name for Emails,Email,Email Status,Mobile Phone,Website,# Employees,Person Linkedin Url',
    'first_name last_name job_title company_name {company_name_for_emails} email {email_status} phone website {employees} {person_linkedin_url}',
  ],
  [
    'HubSpot',
    'Record ID,First Name,Last Name,Email,Phone Number,Job Title,Associated Company,Website URL,Company Domain Name',
    '{record_id} first_name last_name email phone job_title company_name website company_domain',
  ],
  [
    'Outlook, by Excel',
    'First Name,Last Name,Company,Job Title,Business Phone,E-mail Address,Web Page',
    'first_name last_name company_name job_title phone email website',
  ],
  ['a list with whole names', 'Name,E-Mail,Firma', 'full_name email company_name'],
  [
    'Excel in German',
    'Vorname,Nachname,E-Mail-Adresse,Firma,Position,Telefon',
    'first_name last_name email company_name job_title phone',
  ],
  [
    'a list in French',
    'Prénom,Nom de famille,Adresse e-mail,Société,Fonction',
    'first_name last_name email company_name job_title',
  ],
  [
    'our own export',
    'email,first_name,campaign,status,sending_state,timestamp_created,Seats,Team Size,status,Status,Column 11',
    'email first_name skip skip skip skip {Seats} {Team Size} {status} {Status} {column_11}',
  ],
  [
    'a file with some columns of our own export',
    'email,first_name,campaign,status,timestamp_created,Seats,Status',
    'email first_name skip skip skip {seats} {status}',
  ],
])('the headings of %s are known', (_whose, headings, expected) => {
  expect(guess(headings)).toBe(expected)
})

test('without a heading that says it the addresses are in the only column that has one in each row', () => {
  const rows = ['Ada,ada@example.com,see ada@example.com', 'Cem, cem@example.com,']
  expect(guess('Vorname,Kontakt,Notiz', ...rows)).toBe('first_name email {notiz}')
  expect(guess('Vorname,Kontakt,Email', ...rows)).toBe('first_name {kontakt} email')
  expect(guess('Vorname,Kontakt')).toBe('first_name {kontakt}')
  expect(guess('Vorname,Kontakt,Notiz', ...rows, 'Ben,,')).toBe('first_name {kontakt} {notiz}')
  expect(guess('Kontakt,Chef', 'ada@example.com,ben@example.com')).toBe('{kontakt} {chef}')
})

test('variables never share a name, nor that of a field, and have no more letters than one may have', () => {
  expect(guess('Plan,plan,PLAN!,email,Email 2')).toBe('{plan} {plan_2} {plan_3} email {email_2}')
  expect(guess(`${'x'.repeat(80)},###`)).toBe(`{${'x'.repeat(60)}} {column_2}`)
})

test('a mapping that takes one thing from two columns is refused at the second', () => {
  const email = { target: 'email' } as const
  expect(() => checkMapping([email], 2)).toThrow('each of the 2 columns')
  expect(() => checkMapping([email, email], 2)).toThrow('another column is email already')
  expect(() => checkMapping([email, { target: 'variable' }], 2)).toThrow('give the variable a name')
})

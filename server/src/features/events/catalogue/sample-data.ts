/** Made-up parts of the samples of events. */

export const mailbox = 'sales@example.com'

export const message = {
  message_id: '<sample@example.com>',
  subject: 'A sample',
  step: 1,
  variant: 1,
  mailbox,
}

const text = 'Sounds good. When do you have time?'

export const reply = {
  message_id: '<reply@example.com>',
  subject: 'Re: A sample',
  text,
  html: `<p>${text}</p>`,
  snippet: text,
}

export const bounce = { kind: 'hard', code: '5.1.1', diagnostic: 'No such mailbox' }

export const list = { id: '00000000-0000-7000-8000-000000000003', name: 'Sample list' }

export const contact = {
  contact_id: '00000000-0000-7000-8000-000000000004',
  first_name: 'Ada',
  last_name: 'Lovelace',
  title: 'Analyst',
  seniority: 'senior',
  department: 'engineering',
  company: {
    company_id: '00000000-0000-7000-8000-000000000005',
    name: 'Example Ltd',
    domain: 'example.com',
    industry: 'software',
    employee_count: 120,
  },
  city: 'London',
  country: 'United Kingdom',
  linkedin_url: null,
  email: 'ada@example.com',
  email_status: 'verified',
  confidence: null,
}

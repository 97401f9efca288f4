import type { ShownContact } from '../directory/index.ts'
import type { AcquiredContact, EmailStatus } from './schema.ts'

/** What is kept of a contact when it is acquired, as the API shows it: what was paid for stays. */
export type ContactSnapshot = ShownContact & { linkedin_url: string | null }

export interface Address {
  email: string
  /** As `parseEmail` folds it. */
  email_folded: string
  email_status: EmailStatus
  confidence: number | null
  source: 'directory' | 'provider' | 'pattern'
}

/** A row of acquired_contacts. */
export interface StoredContact extends Address {
  contact_id: string
  charge_id: string
  company_id: string | null
  contact: ContactSnapshot
  timestamp_created: Date
}

/** A contact in a list, with what only rules look at. */
export interface ListedContact extends StoredContact {
  /** Of the entry. */
  id: string
}

export function listedRecord(listed: ListedContact): AcquiredContact {
  return {
    id: listed.id,
    contact_id: listed.contact_id,
    ...listed.contact,
    email: listed.email,
    email_status: listed.email_status,
    confidence: listed.confidence,
    opted_out: false,
    timestamp_created: listed.timestamp_created,
  }
}

/** The entry stays, so that lists and counts agree and a client learns that it has to forget. */
export function optedOutRecord(listed: ListedContact): AcquiredContact {
  return {
    id: listed.id,
    contact_id: listed.contact_id,
    first_name: null,
    last_name: null,
    title: null,
    seniority: null,
    department: null,
    company: null,
    city: null,
    country: null,
    linkedin_url: null,
    email: null,
    email_status: null,
    confidence: null,
    opted_out: true,
    timestamp_created: listed.timestamp_created,
  }
}

import { randomBytes } from 'node:crypto'
import { type ParsedMail, simpleParser } from 'mailparser'
import PostalMime, { type Email } from 'postal-mime'
import {
  type ComposedMail,
  type ComposeInput,
  compileStep,
  compose,
  type MailCampaign,
  type MailVariant,
} from '../src/features/messages/index.ts'
import { tokenBoxOf, webLinks } from '../src/features/tracking/index.ts'
import { createSecretBox } from '../src/kernel/crypto.ts'

export const ids = {
  workspace: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  lead: '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d',
  step: '019a9d5e-2222-7c31-9d0a-5e1f6a2b3c4d',
  variant: '019a9d5e-3333-7c31-9d0a-5e1f6a2b3c4d',
}

const secrets = createSecretBox([randomBytes(32)])
const links = webLinks(tokenBoxOf({ secrets }), 'https://go.example.com')

const plainCampaign: MailCampaign = {
  workspace_id: ids.workspace,
  campaign_schedule: { schedules: [{ timezone: 'Europe/Berlin' }] },
  open_tracking: false,
  link_tracking: false,
  text_only: false,
  first_email_text_only: false,
  insert_unsubscribe_header: false,
  cc_list: [],
  bcc_list: [],
}

export interface MailCase {
  campaign?: Partial<MailCampaign>
  variant?: Partial<MailVariant>
  lead?: Partial<ComposeInput['lead']>
  mailbox?: Partial<ComposeInput['mailbox']>
  thread?: ComposeInput['thread']
  at?: Date
}

/** The mail of one lead, where only what matters is told. */
export function composeMail(of: MailCase = {}): ComposedMail {
  const variant = { id: ids.variant, subject: 'Hello', body: '<p>Hello</p>', ...of.variant }
  const campaign = { ...plainCampaign, ...of.campaign }
  return compose(compileStep(campaign, { id: ids.step }, variant), {
    lead: { ...nobody, id: ids.lead, email: 'ann@example.com', ...of.lead },
    mailbox: { address: 'ada@sender.example', display_name: null, signature: null, ...of.mailbox },
    messageId: '<1@sender.example>',
    thread: of.thread ?? null,
    at: of.at ?? new Date('2026-11-20T09:37:00Z'),
    links,
  })
}

/** A lead of whom nothing is known. */
export const nobody = {
  email: null,
  first_name: null,
  last_name: null,
  company_name: null,
  company_domain: null,
  job_title: null,
  phone: null,
  website: null,
  personalization: null,
  custom_variables: {},
} satisfies Omit<ComposeInput['lead'], 'id'>

export interface ReadMail {
  mailparser: ParsedMail
  postal: Email
  /** In their order, unfolded. */
  headers: [name: string, value: string][]
}

/** As two programs that are not ours read it. */
export async function readMail({ bytes }: Pick<ComposedMail, 'bytes'>): Promise<ReadMail> {
  const [mailparser, postal] = await Promise.all([
    simpleParser(bytes, { skipHtmlToText: true, skipTextToHtml: true }),
    PostalMime.parse(bytes),
  ])
  const head = bytes.subarray(0, bytes.indexOf('\r\n\r\n')).toString()
  const headers = head
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n')
    .map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
  return { mailparser, postal, headers }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { inLetters } from '../../kernel/email.ts'
import type { RateLimit } from '../../kernel/http/rate-limit.ts'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import type { ComposedMail } from '../messages/index.ts'
import { type Preview, previewStep } from './preview.ts'
import { MailPreview, PreviewInput, TestMailInput, TestMailResult } from './schema.ts'
import { sendTestMail } from './test-mail.ts'

export const previewSchemas = [PreviewInput, MailPreview, TestMailInput, TestMailResult]

const tags = ['Campaigns']
const params = Type.Object({ id: Uuid })
const entitlement = 'api'

/** A campaign's mails before they are sent. */
export const previewRoutes: FastifyPluginAsyncTypebox<{ attempts: RateLimit }> = async (
  app,
  { attempts },
) => {
  app.post(
    '/campaigns/:id/preview',
    {
      config: { access: { scopes: [], role: 'viewer', entitlement } },
      schema: {
        operationId: 'previewMail',
        summary: 'Look at a mail as a lead would get it',
        description:
          'Made by what makes the mails that are sent, with links that count for nobody. Nothing is sent or kept.',
        tags,
        params,
        body: ref(PreviewInput),
        response: { 200: ref(MailPreview) },
      },
    },
    async ({ ctx, caller, params: { id }, body: { lead_id: leadId, ...asked } }) =>
      shown(await previewStep(ctx, caller.workspaceId, id, { leadId, ...asked, isLookedAt: true })),
  )

  app.post(
    '/campaigns/:id/test-mail',
    {
      config: { access: { scopes: [], role: 'member', entitlement }, idempotency: 'lease' },
      schema: {
        operationId: 'sendTestMail',
        summary: 'Send a mail to yourself',
        description:
          'As the lead would get it, without tracking; 20 an hour for each person. 200 also when ' +
          'it could not be sent: the result is in the body.',
        tags,
        params,
        body: ref(TestMailInput),
        response: { 200: ref(TestMailResult) },
      },
    },
    (req) =>
      sendTestMail(req.ctx, req.caller.workspaceId, req.params.id, req.body, {
        ...changedBy(req),
        attempts,
      }),
  )
}

const shown = ({ step, variant, mailbox, from, mail, refusal, warnings }: Preview) => ({
  ...{ step, variant, mailbox, warnings, refusal: refusal?.message ?? null },
  mail: mail && {
    ...{ from, ...recipientsOf(mail), subject: mail.subject },
    ...{ text: mail.text, html: mail.html, size_bytes: mail.sizeBytes },
    headers: headersOf(mail.bytes),
  },
})

/** The lead is the first of them. */
function recipientsOf({ recipients: [to = '', ...copies], cc }: ComposedMail) {
  const bcc = copies.filter((address) => !cc.includes(address))
  return { to: [inLetters(to)], cc: cc.map(inLetters), bcc: bcc.map(inLetters) }
}

function headersOf(bytes: Buffer): string {
  const end = bytes.indexOf('\r\n\r\n')
  return bytes.subarray(0, end < 0 ? undefined : end).toString()
}

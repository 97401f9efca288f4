import { isAnswer, type ParsedMessage } from './message.ts'
import { visibleText } from './visible-text.ts'

/**
 * An answer by way of a help desk that marks all that it sends as `Auto-Submitted: auto-generated`, what
 * its people write as well: Zendesk, Freshdesk and Jira do. By RFC 3834 §5 an automatic answer would be
 * `auto-replied`, so the mark alone says nothing of an answer of theirs.
 */
export const isFromHelpDesk = (message: ParsedMessage): boolean =>
  isAnswer(message) &&
  (deskHeaders.some((name) => message.header(name).length > 0) ||
    message.header('x-mailer').some((value) => /^zendesk mailer/i.test(value.trim())) ||
    deskMessageId.test(message.messageId ?? ''))

const deskHeaders = [
  ...['x-zendesk-from-account-id', 'x-zendesk-email-id'],
  ...['x-jira-fingerprint', 'x-atlassian-mail-message-id', 'x-intercom-app-id'],
]
const deskMessageId = /@(?:[\w-]+\.)*(?:zendesk|freshdesk)\.com>$|\.sidekiq-[\w-]*-?fd-[\w-]*@/i

/** Of an answer from a help desk: it only says that a ticket was made, or a bot wrote it. */
export const isAcknowledgement = (message: ParsedMessage): boolean =>
  message.header('x-intercom-source').some((value) => /^(?:workflow|bot)/i.test(value.trim())) ||
  acknowledged.test(message.subject) ||
  acknowledged.test(visibleText(message).slice(0, beginning))

/** What is asked further down was written by somebody. */
const beginning = 600

const ticket =
  '(?:e-?mail|message|request|ticket|case|enquiry|inquiry|query|question|support request)'
const anfrage = '(?:e-?mail|nachricht|anfrage|ticket|anliegen|mail)'

const acknowledged = new RegExp(
  [
    `\\[?(?:request|ticket|case) (?:received|created|opened)\\b`,
    `\\b(?:your|a|this) ${ticket}\\b[^.\\n]{0,60}\\b(?:has been|have been|was|is) (?:successfully )?(?:received|logged|created|opened|registered|submitted)\\b`,
    `\\b(?:we|we've|we have) (?:have )?(?:just )?received your ${ticket}\\b`,
    `\\b(?:thank you|thanks) for (?:contacting|reaching out to|getting in touch with|submitting)\\b[^\\n]{0,200}\\b(?:ticket|case|request)\\b`,
    `\\b(?:ihre?|deine?) ${anfrage}\\b[^.\\n]{0,60}\\b(?:wurde|ist)\\b[^.\\n]{0,40}\\b(?:erhalten|empfangen|eingegangen|registriert|erstellt|angelegt)\\b`,
    `\\bwir haben (?:ihre?|deine?) ${anfrage}\\b[^.\\n]{0,40}\\berhalten\\b|eingangsbestätigung`,
    `\\bvotre (?:demande|message|e-?mail|ticket|requête)\\b[^.\\n]{0,60}(?:été|est) (?:bien )?(?:reçue?|enregistrée?|créée?)`,
    `\\bnous avons bien reçu votre\\b|accusé de réception`,
    `\\bhemos recibido (?:su|tu) (?:solicitud|mensaje|correo|consulta)\\b`,
    `\\b(?:su|tu) (?:solicitud|ticket|consulta|mensaje)\\b[^.\\n]{0,60}\\b(?:ha sido|fue) (?:recibid|cread|registrad)[oa]\\b`,
    `\\babbiamo ricevuto (?:la|il) (?:tua|sua|vostra|tuo|suo|vostro)\\b`,
    `\\b(?:recebemos|registramos) (?:a sua|o seu|sua|seu) (?:solicitação|mensagem|pedido|e-?mail|chamado)`,
    `\\b(?:uw|je) (?:verzoek|aanvraag|bericht|ticket|e-?mail)\\b[^.\\n]{0,60}\\bis\\b[^.\\n]{0,30}\\b(?:ontvangen|geregistreerd|aangemaakt)\\b`,
  ].join('|'),
  'iu',
)

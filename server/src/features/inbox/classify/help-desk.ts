import { isAnswer, type ParsedMessage } from './message.ts'
import { baseSubject } from './subject.ts'
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

/**
 * Of an answer from a help desk: it only says that a ticket was made, or a bot wrote it. By the subject,
 * unless it is that of the mail that it answers, and by the words.
 */
export const isAcknowledgement = (message: ParsedMessage): boolean =>
  message.header('x-intercom-source').some((value) => /^(?:workflow|bot)/i.test(value.trim())) ||
  (baseSubject(message.subject) === message.subject && subjectOfDesk.test(message.subject)) ||
  textOfDesk.test(visibleText(message).slice(0, beginning))

/** What is asked further down was written by somebody. */
const beginning = 600

/** What only a help desk calls a mail, and what people say as well: "we received your message, please call". */
const names = {
  en: [
    'request|ticket|enquiry|inquiry|case (?:number |no\\.? |[#(])?\\d+',
    'e-?mail|message|case|query|question',
  ],
  de: ['anfrage|ticket|anliegen', 'e-?mail|nachricht|mail'],
  fr: ['demande|ticket|requête', 'message|e-?mail'],
  es: ['solicitud|ticket|consulta', 'mensaje|correo'],
  it: ['richiesta|ticket|segnalazione', 'messaggio|e-?mail'],
  pt: ['solicitação|pedido|chamado', 'mensagem|e-?mail'],
  nl: ['verzoek|aanvraag|ticket', 'bericht|e-?mail'],
} satisfies Record<string, [ofDesks: string, ofAll: string]>

/** @param nameOf as the mail may be called in a language */
function acknowledgement(nameOf: (language: keyof typeof names) => string): RegExp {
  const [en, de, fr, es] = [nameOf('en'), nameOf('de'), nameOf('fr'), nameOf('es')]
  const [it, pt, nl] = [nameOf('it'), nameOf('pt'), nameOf('nl')]
  return new RegExp(
    [
      `\\[?(?:request|ticket|case) (?:received|created|opened)\\b`,
      `\\b(?:your|a|this) (?:support )?(?:${en})\\b[^.\\n]{0,60}\\b(?:has been|have been|was|is) (?:successfully )?(?:received|logged|created|opened|registered|submitted)\\b`,
      `\\b(?:we|we've|we have) (?:have )?(?:just )?received your (?:support )?(?:${en})\\b`,
      `\\b(?:thank you|thanks) for (?:contacting|reaching out to|getting in touch with|submitting)\\b[^\\n]{0,200}\\b(?:ticket\\b|(?:case|request) (?:number|id|no\\.|[#(]?\\d))`,
      `\\b(?:ihre?|deine?) (?:${de})\\b[^.\\n]{0,60}\\b(?:wurde|ist)\\b[^.\\n]{0,40}\\b(?:erhalten|empfangen|eingegangen|registriert|erstellt|angelegt)\\b`,
      `\\bwir haben (?:ihre?|deine?) (?:${de})\\b[^.\\n]{0,40}\\berhalten\\b|eingangsbestätigung`,
      `\\bvotre (?:${fr})\\b[^.\\n]{0,60}(?:été|est) (?:bien )?(?:reçue?|enregistrée?|créée?)`,
      `\\bnous avons bien reçu votre (?:${fr})\\b|accusé de réception`,
      `\\bhemos recibido (?:su|tu) (?:${es})\\b`,
      `\\b(?:su|tu) (?:${es})\\b[^.\\n]{0,60}\\b(?:ha sido|fue) (?:recibid|cread|registrad)[oa]\\b`,
      `\\babbiamo ricevuto (?:la|il) (?:tua|sua|vostra|tuo|suo|vostro) (?:${it})\\b`,
      `\\b(?:recebemos|registramos) (?:a sua|o seu|sua|seu) (?:${pt})`,
      `\\b(?:uw|je) (?:${nl})\\b[^.\\n]{0,60}\\bis\\b[^.\\n]{0,30}\\b(?:ontvangen|geregistreerd|aangemaakt)\\b`,
    ].join('|'),
    'iu',
  )
}

const subjectOfDesk = acknowledgement((language) => names[language].join('|'))
const textOfDesk = acknowledgement((language) => names[language][0])

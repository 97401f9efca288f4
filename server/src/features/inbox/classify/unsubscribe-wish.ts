import { visibleText } from './visible-text.ts'

/**
 * Whether a person asks not to be written to any more. A short mail that is nothing but the wish
 * counts, and a sentence that leaves no doubt; everything else is for a person to read.
 */
export function asksToUnsubscribe(text: string): boolean {
  const visible = visibleText(text).slice(0, 2000)
  const first = visible.split(/\n\s*\n/)[0] ?? ''
  if (first.length <= shortMax && shortWish.test(first.trim())) return true
  return plainWish.test(visible)
}

const shortMax = 80

const shortWish =
  /^(?:please |bitte |s'il vous plaît,? |por favor,? |per favore,? )?(?:unsubscribe|unsubscribe me|remove|remove me|stop|stop it|opt[- ]?out|take me off|no more e-?mails?|abmelden|abbestellen|austragen|désabonner|désinscrire|désinscription|stop mails?|darme de baja|cancelar suscripción|baja|cancellami|disiscrivimi|rimuovimi|cancelar inscrição|descadastrar|remover|uitschrijven|afmelden|wypisz mnie|wypisz|отписаться|отпишите меня|стоп|abonelikten çık|listeden çıkar|配信停止|退订|退訂)(?:,? (?:please|bitte|merci|gracias|grazie|obrigad[oa]|dank je|proszę|пожалуйста|thanks?(?: you)?))?[.!。]*$/iu

const plainWish =
  /\b(?:(?:please|kindly) (?:remove|unsubscribe|take) (?:me|us|my (?:e-?mail|address)|this (?:e-?mail|address))|(?:do not|don't|stop) (?:contact|email|e-mail|mail|write to|writ(?:e|ing) to|sending|emailing|mailing|contacting)(?: (?:me|us)| anything| any more| these)|take (?:me|us) off (?:your|this|the) (?:mailing )?list|remove (?:me|us) from (?:your|this|the)(?: mailing)? list|unsubscribe me|wish to (?:unsubscribe|opt out)|want to (?:unsubscribe|opt out))\b|(?:bitte (?:keine|senden sie (?:mir|uns) keine)(?: weiteren)? (?:e-?mails?|mails?|nachrichten)|aus (?:ihrem|dem|eurem|der|ihrer) (?:verteiler|mailingliste|liste)|ne (?:me|nous) (?:contactez|écrivez|envoyez) plus|ne plus recevoir|no (?:me|nos) (?:escriba|envíe|contacte|vuelva a (?:escribir|contactar))|darme de baja|non (?:scrivetemi|contattatemi|inviatemi|mandatemi|desidero ricevere)|não (?:quero|desejo) (?:mais )?receber|geen (?:e-?mails?|mails?|berichten) meer|proszę (?:o usunięcie|mnie usunąć|nie (?:pisać|przysyłać|wysyłać))|не (?:пишите|присылайте)(?: мне| нам)? больше|больше не (?:пишите|присылайте)|e-?posta göndermeyin|listenizden çıkar|配信を停止|メールを送らないで|不要再(?:发|發|给|給|联系|聯繫))/iu

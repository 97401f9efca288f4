/**
 * Clauses by which people ask not to be written to, as sources of regular expressions for a whole clause
 * in lower case. `short` ones say it only where nothing else is said.
 */
interface Phrases {
  short: string[]
  wish: string[]
  /** Said around it, without meaning more. */
  filler: string[]
}

const list =
  '(?: (?:e-?mail |mail |mailing |contact |distribution )?(?:lists?|database|mailings?|e-?mails?|system))'

export const phrases: Record<string, Phrases> = {
  english: {
    short: ['unsubscribe', 'remove', 'stop(?: it| this)?', 'opt[- ]?out', 'delete me'],
    wish: [
      `(?:unsubscribe|remove|delete|take) (?:me|us|(?:my|our|this) (?:e-?mail|address|e-?mail address|data|details|contact details))(?: (?:from|off)(?: of)?(?: (?:your|this|the|all|any))?${list}?)?`,
      'unsubscribe from (?:your|this|all) (?:list|e-?mails?)',
      "(?:do not|don't|dont|never) (?:contact|e-?mail|mail|write|write to|message|send)(?: (?:me|us|anything|any|more|these|this|e-?mails?|mails?|messages?))*(?: (?:again|any ?more|any further|in (?:the )?future|ever))*",
      'stop (?:contacting|e-?mailing|mailing|writing|messaging|sending|spamming)(?: (?:to|me|us|this|these|anything|e-?mails?|mails?|messages?))*',
      'no (?:more|further) (?:e-?mails?|mails?|messages?)|stop (?:the |these |your |all )?(?:e-?mails?|mails?)|leave me alone',
      `(?:i|we)(?:'d| would)? (?:want|wish|like) to (?:unsubscribe|opt out|be removed)(?: from(?: (?:your|this|the))?${list}?)?`,
    ],
    filler: [
      '(?:no|many)?,? ?thanks?(?: you)?',
      "(?:i(?:'m| am)|we(?:'re| are)|sorry)? ?not interested(?: in this| at all)?",
      'please|kindly|sorry|hi|hello|nice idea for others',
    ],
  },
  german: {
    short: ['abmelden', 'abbestellen', 'austragen', 'löschen', 'abmeldung'],
    wish: [
      'keine (?:weiteren? )?(?:e-?mails?|mails?|nachrichten|werbung|anfragen|kontaktaufnahme)(?: mehr)?(?: (?:senden|schicken|zusenden|schreiben))?',
      '(?:senden|schicken|schreiben) sie (?:mir|uns) (?:bitte )?keine (?:weiteren? )?(?:e-?mails?|mails?|nachrichten|werbung)(?: mehr)?',
      '(?:löschen|entfernen|streichen|nehmen) sie (?:bitte )?(?:mich|uns|meine (?:e-?mail-?)?(?:adresse|daten|kontaktdaten)|diese adresse)(?: (?:bitte )?(?:aus|von) (?:ihre[mr]|der|dem) (?:e-?mail-?)?(?:verteiler|liste|mailingliste|datenbank))?(?: (?:heraus|raus))?',
      '(?:schreiben|kontaktieren|mailen) sie (?:mir|mich|uns) (?:bitte )?(?:nicht|nie) (?:mehr|wieder)(?: an)?',
      '(?:mich |uns )?(?:bitte )?aus (?:dem|ihrem|der|ihrer) (?:verteiler|mailingliste|liste)(?: (?:nehmen|löschen|entfernen|streichen|austragen))?',
      'nicht (?:mehr|wieder) (?:anschreiben|kontaktieren|schreiben)|(?:tragen|melden) sie (?:mich|uns) (?:bitte )?(?:aus|ab)(?: (?:ihrem|dem) verteiler aus)?',
      '(?:ich möchte|wir möchten) (?:mich |uns )?(?:abmelden|keine (?:weiteren? )?(?:e-?mails?|mails?|nachrichten)(?: mehr)?(?: (?:erhalten|bekommen))?)',
    ],
    filler: [
      'bitte',
      '(?:nein,? )?(?:vielen )?dank(?:e)?',
      '(?:wir haben |ich habe )?kein(?:erlei)? interesse',
      'nein',
    ],
  },
  french: {
    short: ['désabonner', 'désinscrire', 'désinscription', 'désabonnement', 'stop(?: pub)?'],
    wish: [
      '(?:me |nous )?(?:désinscrire|désabonner|retirer|supprimer|enlever)(?: mon (?:adresse|e-?mail)| mes données)?(?: (?:de|à) (?:votre|vos|cette|la) (?:listes?|fichiers?|bases?|mailings?|liste de diffusion))?',
      '(?:désinscrivez|désabonnez|retirez|supprimez|enlevez)-(?:moi|nous)(?: de (?:votre|vos|cette|la) (?:listes?|fichiers?|bases?|mailings?|liste de diffusion))?',
      "ne plus (?:me|nous) (?:contacter|écrire|solliciter|relancer|envoyer (?:de |d['’])?(?:e-?mails?|mails?|messages?))",
      "ne (?:me|nous) (?:contactez|écrivez|envoyez|sollicitez) plus(?: (?:rien|d['’]e-?mails?|de mails?|de messages?))?",
      "je (?:ne )?(?:souhaite|veux|désire) (?:me désinscrire|me désabonner|(?:ne )?plus recevoir (?:vos|de|d['’]) ?(?:e-?mails?|mails?|messages?))",
    ],
    filler: [
      "(?:non,? )?merci(?: de| d[’']avance)?",
      "veuillez|prière de|svp|s[’']il vous plaît",
      '(?:je ne suis )?pas intéressée?',
    ],
  },
  spanish: {
    short: ['baja', 'darme de baja', 'dar de baja', 'cancelar(?: la)? suscripción'],
    wish: [
      '(?:quiero |deseo |solicito )?(?:darme|dame|deme|denme|dadme|me den) de baja(?: de (?:su|la|esta) lista)?',
      '(?:elimíne(?:n)?me|eliminadme|elimínenos|bórre(?:n)?me|quíte(?:n)?me|sáque(?:n)?me)(?: de (?:su|la|esta) (?:lista|base de datos)(?: de correo)?)?',
      '(?:eliminar|borrar|quitar) (?:mi (?:correo|dirección|e-?mail)|mis datos)(?: de (?:su|la|esta) (?:lista|base de datos))?',
      'no (?:me|nos) (?:escriban?|escribas|envíen?|envíes|contacten?|contactes|manden?|mandes|vuelvan? a (?:escribir|contactar|enviar(?: correos)?))(?: (?:más|nada|correos|mensajes|e-?mails?))*',
      'no (?:quiero|deseo|deseamos) (?:recibir )?más (?:correos|mensajes|e-?mails)',
    ],
    filler: [
      'por favor',
      '(?:no,? )?(?:muchas )?gracias',
      'no (?:me|nos) interesa',
      'no estoy interesad[oa]',
    ],
  },
  italian: {
    short: ['cancellami', 'disiscrivimi', 'rimuovimi', 'cancellazione', 'disiscrizione'],
    wish: [
      '(?:cancellami|mi cancelli|cancellatemi|disiscrivimi|disiscrivetemi|rimuovimi|rimuovetemi|mi rimuova)(?: (?:dalla|dalle|da) (?:(?:vostra|vostre|questa|sua|tua) )?(?:lista|liste|mailing list|newsletter))?',
      'non (?:scrivetemi|contattatemi|inviatemi|mandatemi|scrivermi|contattarmi|mi scriva|mi contatti)(?: più)?(?: (?:nulla|e-?mail|mail|messaggi))?',
      'non (?:desidero|voglio) (?:più )?(?:ricevere|essere contattat[oa])(?: (?:vostre|altre|più) ?(?:e-?mail|mail|comunicazioni)?)?',
    ],
    filler: [
      'per favore|per cortesia',
      '(?:no,? )?grazie',
      'non (?:mi|ci) interessa|non sono interessat[oa]',
    ],
  },
  portuguese: {
    short: ['descadastrar', 'cancelar (?:a )?inscrição', 'remover'],
    wish: [
      '(?:remova|remover|retire|retirar|descadastre|exclua|eliminem?)(?:-me| o meu (?:e-?mail|contacto)| meu (?:e-?mail|contato))?(?: d(?:a|esta|essa) (?:(?:sua|vossa) )?(?:lista|base de dados|base))?',
      'não (?:me )?(?:envie[m]?|escreva[m]?|contacte[m]?|contate[m]?|mande[m]?)(?: mais)?(?: (?:mensagens|e-?mails?|nada))?',
      'não (?:quero|desejo|pretendo) (?:mais )?receber(?: mais)?(?: (?:os |seus |vossos )*(?:e-?mails?|mensagens))?',
    ],
    filler: ['por favor', '(?:não,? )?obrigad[oa]', '(?:não tenho|sem) interesse'],
  },
  dutch: {
    short: ['uitschrijven', 'afmelden'],
    wish: [
      '(?:schrijf|meld) (?:mij|me|ons) (?:uit|af)(?: (?:van|uit|voor) (?:deze|jullie|uw|de) (?:lijst|mailinglijst|mails))?',
      '(?:(?:graag|stuur|stuurt u|wij willen|ik wil) )*(?:mij |me |ons )?geen (?:e-?mails?|mails?|berichten) meer(?: (?:sturen|ontvangen))?',
      '(?:verwijder|haal) (?:mij|me|ons|mijn (?:adres|gegevens|e-?mailadres))(?: (?:van|uit) (?:deze|jullie|uw|de) (?:lijst|mailinglijst|bestand|database))?',
      '(?:mail|benader|contacteer) (?:mij|me|ons) niet meer',
    ],
    filler: [
      '(?:nee,? )?(?:dank (?:je|u)(?: wel)?|bedankt)',
      'alstublieft|graag',
      '(?:wij hebben |ik heb )?geen interesse',
    ],
  },
  polish: {
    short: ['wypisz(?: mnie)?', 'rezygnuję', 'usuń'],
    wish: [
      '(?:o usunięcie|usunąć|usuńcie|usuń|wypisać|wypisz|wypiszcie|wykreślić) (?:mnie|nas|mojego adresu|mój adres|moich danych|moje dane)(?: z (?:(?:waszej|państwa|tej) )?(?:listy|bazy)(?: mailingowej| danych)?)?',
      '(?:mnie |nas )(?:usunąć|wypisać|wykreślić)(?: z (?:(?:waszej|państwa|tej) )?(?:listy|bazy))?',
      'nie (?:pisać|przysyłać|wysyłać|kontaktować się)(?: (?:do mnie|do nas|mi|nam|ze mną|z nami))?(?: więcej)?(?: (?:wiadomości|maili|e-?maili))?',
      'nie (?:życzę|życzymy) sobie (?:więcej )?(?:wiadomości|maili|kontaktu|takich wiadomości)',
    ],
    filler: ['proszę', '(?:nie,? )?dziękuję', 'nie jestem zainteresowan[ya]'],
  },
  others: {
    short: ['отписаться', 'стоп', 'listeden çıkar', 'abonelikten çık', '配信停止', '退订', '退訂'],
    wish: [
      'отпишите меня(?: от рассылки)?|(?:больше )?не (?:пишите|присылайте)(?: мне| нам)?(?: больше)?(?: писем)?|удалите мой адрес',
      '(?:bana )?(?:bir daha )?e-?posta göndermeyin|beni listenizden çıkar(?:ın)?',
      '配信を停止(?:して(?:ください)?)?|メールを送らないで(?:ください)?|(?:请|請)?不要再(?:发|發|给|給|联系|聯繫).{0,12}',
    ],
    filler: ['спасибо|пожалуйста|не интересует', 'lütfen|teşekkürler', '谢谢|謝謝|请|請'],
  },
}

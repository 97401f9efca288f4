/** What the pages say, in one language. HTML. */
export interface Words {
  /** BCP 47. */
  language: string
  unsubscribe: string
  /** Nothing was done yet. `%` is the address. */
  ask: string
  done: string
  /** `%` is the address. */
  noMore: string
  close: string
  badLink: string
  cutOff: string
  failed: string
  ourFault: string
  unreadable: string
}

const english: Words = {
  language: 'en',
  unsubscribe: 'Unsubscribe',
  ask: 'Press the button, and no more mail will be sent to %.',
  done: 'You are unsubscribed',
  noMore: 'No more mail will be sent to %.',
  close: 'You can close this page.',
  badLink: 'This link does not work',
  cutOff: 'It may have been cut off. Please open it again from the mail it came with.',
  failed: 'That did not work',
  ourFault: 'The fault is ours, and nothing was changed. Please try again in a minute.',
  unreadable: 'The request could not be read. Please open the link again from the mail.',
}

const all: Words[] = [
  english,
  {
    language: 'de',
    unsubscribe: 'Abmelden',
    ask: 'Drücken Sie den Knopf, und an % werden keine E-Mails mehr gesendet.',
    done: 'Sie sind abgemeldet',
    noMore: 'An % werden keine E-Mails mehr gesendet.',
    close: 'Sie können diese Seite schließen.',
    badLink: 'Dieser Link funktioniert nicht',
    cutOff: 'Vielleicht wurde er abgeschnitten. Bitte öffnen Sie ihn noch einmal aus der E-Mail.',
    failed: 'Das hat nicht geklappt',
    ourFault:
      'Der Fehler liegt bei uns, es wurde nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.',
    unreadable:
      'Die Anfrage war nicht lesbar. Bitte öffnen Sie den Link noch einmal aus der E-Mail.',
  },
  {
    language: 'fr',
    unsubscribe: 'Se désinscrire',
    ask: 'Appuyez sur le bouton, et plus aucun e-mail ne sera envoyé à %.',
    done: 'Vous êtes désinscrit',
    noMore: 'Plus aucun e-mail ne sera envoyé à %.',
    close: 'Vous pouvez fermer cette page.',
    badLink: 'Ce lien ne fonctionne pas',
    cutOff: 'Il a peut-être été coupé. Veuillez le rouvrir depuis l’e-mail.',
    failed: 'Cela n’a pas fonctionné',
    ourFault:
      'L’erreur vient de nous, et rien n’a été modifié. Veuillez réessayer dans une minute.',
    unreadable: 'La demande n’a pas pu être lue. Veuillez rouvrir le lien depuis l’e-mail.',
  },
  {
    language: 'es',
    unsubscribe: 'Darse de baja',
    ask: 'Pulse el botón y no se enviarán más correos a %.',
    done: 'Se ha dado de baja',
    noMore: 'No se enviarán más correos a %.',
    close: 'Puede cerrar esta página.',
    badLink: 'Este enlace no funciona',
    cutOff: 'Puede que esté cortado. Ábralo de nuevo desde el correo.',
    failed: 'No ha funcionado',
    ourFault: 'El error es nuestro y no se ha cambiado nada. Inténtelo de nuevo en un minuto.',
    unreadable: 'No se pudo leer la solicitud. Abra el enlace de nuevo desde el correo.',
  },
  {
    language: 'it',
    unsubscribe: 'Annulla l’iscrizione',
    ask: 'Prema il pulsante e non verranno più inviate e-mail a %.',
    done: 'Iscrizione annullata',
    noMore: 'Non verranno più inviate e-mail a %.',
    close: 'Può chiudere questa pagina.',
    badLink: 'Questo link non funziona',
    cutOff: 'Forse è stato troncato. Lo apra di nuovo dall’e-mail.',
    failed: 'Non ha funzionato',
    ourFault: 'L’errore è nostro e non è stato modificato nulla. Riprovi tra un minuto.',
    unreadable: 'Non è stato possibile leggere la richiesta. Apra di nuovo il link dall’e-mail.',
  },
  {
    language: 'nl',
    unsubscribe: 'Afmelden',
    ask: 'Druk op de knop en er worden geen e-mails meer gestuurd naar %.',
    done: 'U bent afgemeld',
    noMore: 'Er worden geen e-mails meer gestuurd naar %.',
    close: 'U kunt deze pagina sluiten.',
    badLink: 'Deze link werkt niet',
    cutOff: 'Misschien is hij afgekapt. Open hem opnieuw vanuit de e-mail.',
    failed: 'Dat is niet gelukt',
    ourFault: 'De fout ligt bij ons en er is niets gewijzigd. Probeer het over een minuut opnieuw.',
    unreadable: 'Het verzoek kon niet worden gelezen. Open de link opnieuw vanuit de e-mail.',
  },
  {
    language: 'pl',
    unsubscribe: 'Wypisz się',
    ask: 'Naciśnij przycisk, a na adres % nie będą już wysyłane wiadomości.',
    done: 'Wypisano z listy',
    noMore: 'Na adres % nie będą już wysyłane wiadomości.',
    close: 'Możesz zamknąć tę stronę.',
    badLink: 'Ten link nie działa',
    cutOff: 'Być może został ucięty. Otwórz go ponownie z wiadomości.',
    failed: 'Nie udało się',
    ourFault: 'To nasz błąd, nic nie zostało zmienione. Spróbuj ponownie za minutę.',
    unreadable: 'Nie udało się odczytać żądania. Otwórz link ponownie z wiadomości.',
  },
  {
    language: 'pt',
    unsubscribe: 'Cancelar a inscrição',
    ask: 'Prima o botão e não serão enviados mais e-mails para %.',
    done: 'Inscrição cancelada',
    noMore: 'Não serão enviados mais e-mails para %.',
    close: 'Pode fechar esta página.',
    badLink: 'Este link não funciona',
    cutOff: 'Talvez tenha sido cortado. Abra-o novamente a partir do e-mail.',
    failed: 'Não funcionou',
    ourFault: 'O erro é nosso e nada foi alterado. Tente novamente dentro de um minuto.',
    unreadable: 'Não foi possível ler o pedido. Abra novamente o link a partir do e-mail.',
  },
]

/**
 * The language that the visitor likes best of those that the pages speak; else English.
 *
 * @param accepted `Accept-Language` (RFC 9110 §12.5.4)
 */
export function wordsFor(accepted: string | undefined): Words {
  const wanted = (accepted ?? '').slice(0, charactersMax).split(',').map(readRange)
  const byLiking = wanted.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight)
  for (const { language } of byLiking) {
    const words = all.find((each) => each.language === language)
    if (words) return words
  }
  return english
}

const charactersMax = 500

function readRange(range: string): { language: string; weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const [language = ''] = tag.toLowerCase().split('-')
  const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
  return { language, weight: quality === undefined ? 1 : Number(quality) || 0 }
}

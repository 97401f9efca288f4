import type { Folder } from './folder.ts'
import { encodeName } from './folder-name.ts'
import { quote, textOf, type Word } from './imap-words.ts'
import type { Account } from './store.ts'

/** The lines that answer LIST or LSUB. */
export function listFolders({ folders }: Account, name: string, words: Word[]): string[] {
  const [reference = '', pattern = ''] = words.filter((word) => !Array.isArray(word)).map(textOf)
  if (pattern === '') return [`* ${name} (\\Noselect) "/" ""`]
  const escaped = `${reference}${pattern}`.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
  const fits = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('%', '[^/]*')}$`, 'i')
  return [...folders.values()]
    .map(({ path, specialUse }) => ({ wireName: encodeName(path), specialUse }))
    .filter(({ wireName }) => fits.test(wireName))
    .map(({ wireName, specialUse }) => {
      const attributes = `\\HasNoChildren${specialUse ? ` ${specialUse}` : ''}`
      return `* ${name} (${attributes}) "/" ${quote(wireName)}`
    })
}

/** The line that answers STATUS. */
export function describeStatus(folder: Folder, word: Word | undefined): string {
  const values: Record<string, number> = {
    MESSAGES: folder.mails.length,
    RECENT: 0,
    UIDNEXT: folder.uidNext,
    UIDVALIDITY: folder.uidValidity,
    UNSEEN: folder.mails.filter(({ flags }) => !flags.has('\\Seen')).length,
  }
  const asked = (Array.isArray(word) ? word : []).map((item) => textOf(item).toUpperCase())
  const answers = asked.filter((item) => item in values).map((item) => `${item} ${values[item]}`)
  return `* STATUS ${quote(encodeName(folder.path))} (${answers.join(' ')})`
}

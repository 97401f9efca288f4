import { readFile } from 'node:fs/promises'
import { json } from 'node:stream/consumers'
import type { Command } from 'commander'
import {
  addMailbox,
  listMailboxes,
  type Mailbox,
  removeMailbox,
} from '../features/mailboxes/index.ts'
import { parseId } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { readAll } from './read-all.ts'
import { formatRecord, formatTable } from './terminal.ts'

export function mailboxCommands(program: Command) {
  const mailboxes = program.command('mailboxes').description('Mailboxes that campaigns send from')

  withWorkspace(mailboxes.command('add'))
    .description('Add a mailbox; its passwords are stored encrypted')
    .argument('<file>', 'JSON file that describes it; - reads standard input')
    .addHelpText('after', form)
    .action((file: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => addMailbox(ctx, workspaceId, await readJson(file)),
        showMailbox,
      ),
    )

  withWorkspace(mailboxes.command('list'))
    .description('List the mailboxes')
    .action((options: WorkspaceOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => readAll((page) => listMailboxes(ctx, workspaceId, page)),
        ({ items }) =>
          formatTable(
            ['id', 'address', 'name', 'status', 'reason', 'daily limit'],
            items.map((mailbox) => Object.values(summary(mailbox))),
          ),
      ),
    )

  withWorkspace(mailboxes.command('remove'))
    .description('Remove a mailbox and its settings')
    .argument('<id>', 'id of the mailbox', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(options, (ctx, workspaceId) => removeMailbox(ctx, workspaceId, id), showMailbox),
    )
}

/** A file, because what stands on a command line is seen by others and kept by the shell. */
const form = `
The file, where only the addresses, hosts, usernames and passwords are needed:
  {
    "address": "ada@example.com",
    "display_name": "Ada Lovelace",
    "smtp": {"host": "smtp.example.com", "port": 587, "security": "starttls",
             "username": "ada@example.com", "password": "…"},
    "imap": {"host": "imap.example.com", "port": 993, "security": "tls",
             "username": "ada@example.com", "password": "…"},
    "daily_limit": 50
  }`

async function readJson(file: string): Promise<unknown> {
  try {
    return file === '-' ? await json(process.stdin) : JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    // The parser's message would quote the text, which holds passwords.
    if (error instanceof SyntaxError) throw new Error(`${file} is not valid JSON.`)
    throw error
  }
}

const showMailbox = (mailbox: Mailbox) => formatRecord(summary(mailbox))

const summary = (mailbox: Mailbox) => ({
  id: mailbox.id,
  address: mailbox.address,
  name: mailbox.display_name,
  status: mailbox.status,
  reason: mailbox.status_reason,
  daily_limit: mailbox.daily_limit,
})

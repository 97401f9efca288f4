import { readFile } from 'node:fs/promises'
import { json } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import { type ChangedBy, operator } from '../features/audit/index.ts'
import { countFollowUps, type WaitingLeads } from '../features/leads/index.ts'
import {
  addMailbox,
  listMailboxes,
  type Mailbox,
  type MailboxTest,
  pauseMailbox,
  removeMailbox,
  resumeMailbox,
  type TestStep,
  testMailbox,
  updateMailbox,
} from '../features/mailboxes/index.ts'
import { refuseWhileHeld } from '../features/sending/index.ts'
import type { Context } from '../kernel/context.ts'
import { readAll } from '../kernel/http/page.ts'
import { isRecord } from '../kernel/json/is-record.ts'
import { requireMailClients } from '../process/service-settings.ts'
import { parseId } from './arguments.ts'
import { showWaiting } from './hand-over.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatRecord, formatTable, tell } from './terminal.ts'

export function mailboxCommands(program: Command) {
  const mailboxes = program.command('mailboxes').description('Mailboxes that campaigns send from')

  withWorkspace(mailboxes.command('add'))
    .description('Add a mailbox; its passwords are stored encrypted')
    .argument('<file>', 'JSON file that describes it; - reads standard input')
    .addOption(saveSent())
    .addHelpText('after', form)
    .action((file: string, options: ChangeOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) =>
          addMailbox(ctx, workspaceId, await readInput(file, options), operator),
        (mailbox) => `${showMailbox(mailbox)}\n\nTry it: npx outrider mailboxes test ${mailbox.id}`,
      ),
    )

  withWorkspace(mailboxes.command('update'))
    .description('Change what is given; null clears')
    .argument('<id>', 'id of the mailbox', parseId)
    .argument('[file]', 'JSON file with the changes, as for add; - reads standard input')
    .addOption(saveSent())
    .action((id: string, file: string | undefined, options: ChangeOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) =>
          updateMailbox(ctx, workspaceId, id, await readInput(file, options), operator),
        showMailbox,
      ),
    )

  withWorkspace(mailboxes.command('test'))
    .description('Log in to both servers, send one mail to itself and wait for it')
    .argument('<id>', 'id of the mailbox', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(options, (ctx, workspaceId) => test(ctx, workspaceId, id, options), showTest),
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
            items.map(({ id, address, display_name, status, status_reason, daily_limit }) => [
              ...[id, address, display_name, status, status_reason, daily_limit],
            ]),
          ),
      ),
    )

  onOne(mailboxes, 'pause', 'Send nothing from a mailbox and read nothing', pauseMailbox)
  onOne(mailboxes, 'resume', 'Go on with a mailbox, also after an error', resumeMailbox)
  removeCommand(mailboxes)
}

function removeCommand(mailboxes: Command) {
  withWorkspace(mailboxes.command('remove'))
    .description(
      'Remove a mailbox and its settings; its conversations wait until it is added again',
    )
    .argument('<id>', 'id of the mailbox', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => ({
          ...(await removeMailbox(ctx, workspaceId, id, operator)),
          campaigns_waiting: await countFollowUps(ctx.db, workspaceId, id),
        }),
        ({ campaigns_waiting, ...mailbox }) =>
          [showMailbox(mailbox), waitingNote(mailbox.address, campaigns_waiting)].join('\n\n'),
      ),
    )
}

function waitingNote(address: string, campaigns: WaitingLeads[]): string {
  if (campaigns.length === 0) return 'No lead waits for a follow-up from it.'
  return `Leads that wait for a follow-up from it:
${showWaiting(campaigns)}

They go on when it is added again, or from another mailbox:
npx outrider campaigns hand-over --from ${address} --to ANOTHER`
}

function onOne(
  mailboxes: Command,
  name: string,
  description: string,
  work: (ctx: Context, workspaceId: string, id: string, by: ChangedBy) => Promise<Mailbox>,
) {
  withWorkspace(mailboxes.command(name))
    .description(description)
    .argument('<id>', 'id of the mailbox', parseId)
    .action((id: string, options: WorkspaceOptions) =>
      operateIn(options, (ctx, workspaceId) => work(ctx, workspaceId, id, operator), showMailbox),
    )
}

/** A file, because what stands on a command line is seen by others and kept by the shell. */
const form = `
The file, where only the addresses, hosts, usernames and passwords are needed:
  {
    "address": "ada@example.com",
    "display_name": "Ada Lovelace",
    "signature": "<p>Ada<br>Analytical Engines</p>",
    "timezone": "Europe/London",
    "smtp": {"host": "smtp.example.com", "port": 587, "security": "starttls",
             "username": "ada@example.com", "password": "…"},
    "imap": {"host": "imap.example.com", "port": 993, "security": "tls",
             "username": "ada@example.com", "password": "…"},
    "daily_limit": 50,
    "ramp_up": {"start": 5, "step": 5},
    "gap_seconds": 120
  }
Where the provider wants OAuth2, a server has in place of the password:
  "oauth2": {"token_url": "https://…/token", "client_id": "…", "client_secret": "…",
             "refresh_token": "…"}`

type ChangeOptions = WorkspaceOptions & { saveSent?: string }

const saveSent = () =>
  new Option(
    '--save-sent <when>',
    'put a copy of each mail into the Sent folder; auto: unless the provider does so',
  ).choices(['on', 'off', 'auto'])

/** What an option says holds, whatever the file does. */
async function readInput(file: string | undefined, { saveSent }: ChangeOptions): Promise<object> {
  const input = file === undefined ? {} : await readJson(file)
  if (!isRecord(input)) throw new Error(`${file} must hold a JSON object; see --help.`)
  return saveSent === undefined ? input : { ...input, save_sent: saveSent }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return file === '-' ? await json(process.stdin) : JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    // The parser's message would quote the text, which holds passwords.
    if (error instanceof SyntaxError) {
      throw new Error(`${file === '-' ? 'Standard input' : file} is not valid JSON.`)
    }
    throw error
  }
}

async function test(
  ctx: Context,
  workspaceId: string,
  id: string,
  { json }: WorkspaceOptions,
): Promise<MailboxTest> {
  requireMailClients(ctx.config.dataDir)
  await refuseWhileHeld(ctx)
  const result = await testMailbox(ctx, workspaceId, id, json ? {} : { tell: tellStep })
  if (!result.works) process.exitCode = 1
  return result
}

/** A test may take a minute: each step is told when it is over. */
const tellStep = ({ step, status, detail, remedy }: TestStep) =>
  tell(`${status.padEnd(4)}  ${step}: ${detail}${remedy ? ` ${remedy}` : ''}`)

const showTest = ({ works, steps }: MailboxTest) => {
  if (!works) return 'The mailbox does not work yet.'
  const hasWarning = steps.some(({ status }) => status === 'warn')
  return `The mailbox works${hasWarning ? '; see the warnings above' : ''}.`
}

const showMailbox = ({ ramp_up, ...mailbox }: Mailbox) =>
  formatRecord({
    id: mailbox.id,
    address: mailbox.address,
    name: mailbox.display_name,
    status: mailbox.status,
    reason: mailbox.status_reason,
    timezone: mailbox.timezone,
    daily_limit: mailbox.daily_limit,
    ramp_up: ramp_up && `${ramp_up.start}, then ${ramp_up.step} more a day, from ${ramp_up.from}`,
    gap_seconds: mailbox.gap_seconds,
    save_sent: mailbox.save_sent,
    inbox_read_at: mailbox.inbox_read_at,
  })

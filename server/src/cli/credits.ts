import type { Command } from 'commander'
import {
  type CreditEntry,
  getBalance,
  grantCredits,
  listCreditEntries,
  refundContact,
} from '../features/acquisition/index.ts'
import { readAll } from '../kernel/http/page.ts'
import { parseAtLeastOne, parseId, parseName } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatRecord, formatTable } from './terminal.ts'

export function creditCommands(program: Command) {
  const credits = program.command('credits').description('Credits for the addresses of contacts')

  withWorkspace(credits.command('grant'))
    .description('Grant credits, which do not expire')
    .argument('<credits>', 'how many', parseAtLeastOne)
    .option('--reason <reason>', 'kept with the entry in the ledger', parseName)
    .action((amount: number, options: ReasonOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) =>
          grantCredits(ctx, workspaceId, { credits: amount, reason: options.reason }),
        showBalance,
      ),
    )

  withWorkspace(credits.command('refund'))
    .description('Give back what an acquired contact cost; the contact stays acquired')
    .argument('<contact-id>', 'id of the contact', parseId)
    .option('--reason <reason>', 'kept with the entry in the ledger', parseName)
    .action((contactId: string, options: ReasonOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) => refundContact(ctx, workspaceId, contactId, options.reason),
        showBalance,
      ),
    )

  withWorkspace(credits.command('history'))
    .description('The ledger: everything that was granted, charged, refunded or expired')
    .action((options: WorkspaceOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => ({
          ...(await readAll((page) => listCreditEntries(ctx, workspaceId, page))),
          balance: (await getBalance(ctx, workspaceId)).balance,
        }),
        ({ items, balance }) => `${showEntries(items)}\n\nbalance  ${balance}`,
      ),
    )
}

type ReasonOptions = WorkspaceOptions & { reason?: string }

const showBalance = ({ costs, ...balance }: Awaited<ReturnType<typeof getBalance>>) =>
  formatRecord(balance)

const showEntries = (entries: CreditEntry[]) =>
  formatTable(
    ['time', 'kind', 'credits', 'contact', 'request', 'reason'],
    entries.map((entry) => [
      entry.timestamp_created,
      entry.kind,
      entry.amount,
      entry.contact_id,
      entry.request_id,
      entry.reason,
    ]),
  )

import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import { createInvitation } from '../features/members/index.ts'
import { recordForPerson, setUpPath } from '../features/sign-in/index.ts'
import {
  createPasswordReset,
  dropSecondFactor,
  getUserByEmail,
  listUsers,
} from '../features/users/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { transaction } from '../kernel/db/transaction.ts'
import { AppError } from '../kernel/errors.ts'
import { type Role, roles } from '../kernel/http/access.ts'
import {
  type OutputOptions,
  operate,
  operateIn,
  type WorkspaceOptions,
  withOutput,
  withWorkspace,
} from './operate.ts'
import { oneOf } from './options.ts'
import { formatRecord, formatTable, tell } from './terminal.ts'

export function userCommands(program: Command) {
  const users = program.command('users').description('People who sign in to the application')

  withOutput(users.command('list'))
    .description('List everybody who can sign in')
    .action((options: OutputOptions) =>
      operate(options, async (ctx) => ({ items: (await listUsers(ctx)).map(summary) }), showUsers),
    )

  withOutput(users.command('set-up-link'))
    .description('Print the link that makes the first user')
    .action((options: OutputOptions) => operate(options, getSetUpLink, formatRecord))

  withWorkspace(users.command('invite'))
    .description('Print a link that makes somebody a member; good for seven days and once')
    .requiredOption('--email <address>', 'whom it is for')
    .addOption(oneOf('--role <role>', 'what they may do', roles).default('member'))
    .action((options: InviteOptions) => {
      const { email, role } = options
      return operateIn(
        options,
        (ctx, workspaceId) => createInvitation(ctx, workspaceId, { email, role }, operator),
        ({ url, timestamp_expires }) => showLink({ url, expires: timestamp_expires }),
      )
    })

  withOutput(users.command('reset'))
    .description('Print a link that sets a new password; good for an hour and once')
    .argument('<address>', 'of whom')
    .action((address: string, options: OutputOptions) =>
      operate(options, (ctx) => getResetLink(ctx, address), showLink),
    )

  withOutput(users.command('disable-second-factor'))
    .description('Let somebody who has lost their second factor sign in by password alone')
    .argument('<address>', 'of whom')
    .action((address: string, options: OutputOptions) =>
      operate(options, (ctx) => disableSecondFactor(ctx, address), formatRecord),
    )
}

type InviteOptions = WorkspaceOptions & { email: string; role: Role }

async function getSetUpLink(ctx: ProcessContext) {
  const path = await setUpPath(ctx)
  if (path) return { url: `${ctx.config.baseUrl}${path}` }
  throw new AppError(
    'already_set_up',
    'Somebody has set up this installation: "outrider users invite" invites others.',
  )
}

async function getResetLink(ctx: ProcessContext, address: string) {
  const { id } = await getUserByEmail(ctx, address)
  const { path, timestamp_expires } = await transaction(ctx, async (tx) => {
    await recordForPerson(tx, id, 'user.reset_link_created', operator)
    return createPasswordReset(tx, id)
  })
  return { url: `${ctx.config.baseUrl}${path}`, expires: timestamp_expires }
}

async function disableSecondFactor(ctx: ProcessContext, address: string) {
  const user = await getUserByEmail(ctx, address)
  await transaction(ctx, async (tx) => {
    await dropSecondFactor(tx, user.id)
    await recordForPerson(tx, user.id, 'user.turned_second_factor_off', operator)
  })
  return { ...summary(user), second_factor: false }
}

function showLink(link: { url: string; expires: Date }): string {
  tell('Hand the link over safely: whoever opens it is that person.\n')
  return formatRecord(link)
}

type User = Awaited<ReturnType<typeof listUsers>>[number]

const summary = (user: User) => ({
  id: user.id,
  name: user.name,
  email: user.email,
  operator: user.is_operator,
  second_factor: user.two_factor_enabled === true,
  created: user.timestamp_created,
})

const showUsers = ({ items }: { items: ReturnType<typeof summary>[] }) =>
  formatTable(
    ['id', 'name', 'e-mail', 'operator', 'second factor', 'created'],
    items.map((user) => Object.values(user)),
  )

import { timingSafeEqual } from 'node:crypto'
import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import { getInstance } from '../../kernel/db/instance.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { type ChangedBy, changedByPerson } from '../audit/index.ts'
import { addMember } from '../members/index.ts'
import { createUser, hashPassword, isSetUp, lockUsers, readEmail } from '../users/index.ts'
import { locateDefaultWorkspace, makeDefaultWorkspace, setWorkspace } from '../workspaces/index.ts'
import type { SetUpInput } from './schema.ts'

/** The path of the set-up page with its token; undefined once somebody has set up. */
export async function setUpPath(ctx: ProcessContext): Promise<string | undefined> {
  if (await isSetUp(ctx)) return undefined
  const [token] = await setUpTokens(ctx)
  // Behind #, so that no server and no log sees it.
  return `/set-up#${token}`
}

/** Makes the first user: the owner of the default workspace, and the operator. */
export async function setUp(
  ctx: ProcessContext,
  input: SetUpInput,
  requestId?: string,
): Promise<void> {
  if (await isSetUp(ctx)) throw alreadySetUp()
  await requireToken(ctx, input.token)
  const email = readEmail(input.email)
  const passwordHash = await hashPassword(ctx, input.password)
  await makeDefaultWorkspace(ctx)
  const { ctx: shard, found: workspace } = await locateDefaultWorkspace(ctx)
  await transaction(ctx, async (tx) => {
    await lockUsers(tx)
    if (await isSetUp(tx)) throw alreadySetUp()
    const userId = await createUser(tx, {
      ...{ name: input.name, email, passwordHash, isOperator: true },
    })
    const owner = { workspaceId: workspace.id, userId, role: 'owner' } as const
    const by = changedByPerson(userId, requestId)
    // On another database the membership comes first: while nobody has an account, the link works again.
    await transaction(shard.shard === ctx.shard ? tx : shard, async (there) => {
      await addMember(there, owner, by)
      if (input.workspace) await nameWorkspace(there, workspace.id, input.workspace, by)
    })
  })
}

async function nameWorkspace(tx: ProcessContext, id: string, name: string, by: ChangedBy) {
  try {
    await setWorkspace(inWorkspace(tx, id), id, { name }, by)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid_field')) throw error
    throw invalidField('/workspace', 'a workspace of this name exists already')
  }
}

const alreadySetUp = () =>
  new AppError('already_set_up', 'Somebody has set up this installation; ask them to invite you.')

async function requireToken(ctx: ProcessContext, given: string) {
  const hash = sha256(given)
  const tokens = await setUpTokens(ctx)
  if (tokens.some((token) => timingSafeEqual(sha256(token), hash))) return
  throw new AppError(
    'wrong_credentials',
    'This link does not set up this installation: open the one that the server printed when it started, or that "npx outrider users set-up-link" prints.',
  )
}

/** Tokens are alike on every process and kept nowhere; one of each secret key, the newest first. */
async function setUpTokens(ctx: ProcessContext): Promise<string[]> {
  const instance = await getInstance(ctx.db)
  return ctx.secrets.derive(`set-up ${instance.id}`, 24).map((key) => key.toString('base64url'))
}

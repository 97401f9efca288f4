import { operator } from '../src/features/audit/index.ts'
import { addMember } from '../src/features/members/index.ts'
import { createUser, hashPassword } from '../src/features/users/index.ts'
import { type Role, roles } from '../src/kernel/http/access.ts'
import type { TestApi } from './app.ts'
import { type Browser, password, signIn } from './browser.ts'

export interface Person {
  id: string
  email: string
  browser: Browser
}

// Slow to make, as it should be, and the same for all.
let passwordHash: Promise<string> | undefined

let addresses = 0

/** Whoever signs in often from one address has to wait. */
function nextAddress(): string {
  addresses += 1
  return `10.9.${addresses >> 8}.${addresses & 255}`
}

/** Signed in; a member of nothing. */
export async function createPerson(
  api: TestApi,
  { email, isOperator = false }: { email: string; isOperator?: boolean },
): Promise<Person> {
  passwordHash ??= hashPassword(api.ctx, password)
  const id = await createUser(api.ctx, {
    ...{ name: 'Test', email, passwordHash: await passwordHash, isOperator },
  })
  return { id, email, browser: await signIn(api, { email, password }, nextAddress()) }
}

/** Signed in, and a member of one workspace. */
export async function createMember(
  api: TestApi,
  email: string,
  role: Role,
  workspaceId = api.workspaceId,
): Promise<Person> {
  const person = await createPerson(api, { email })
  await join(api, workspaceId, person, role)
  return person
}

/** One person of each role in a workspace. */
export async function createTeam(api: TestApi, workspaceId: string): Promise<Record<Role, Person>> {
  const team: Partial<Record<Role, Person>> = {}
  for (const role of roles) {
    team[role] = await createMember(api, `${role}@team.example`, role, workspaceId)
  }
  return team as Record<Role, Person>
}

export const join = (api: TestApi, workspaceId: string, { id: userId }: Person, role: Role) =>
  addMember(api.ctx, { workspaceId, userId, role }, operator)

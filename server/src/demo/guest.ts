import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { setUp, setUpPath } from '../features/sign-in/index.ts'
import { signIn } from '../features/users/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { sha256 } from '../kernel/crypto.ts'
import { AppError } from '../kernel/errors.ts'

/** Whoever looks at the sandbox in a browser: its owner, by a link in place of a password. */
export interface Guest {
  /** The path of the link. It opens as often as somebody likes, as long as the sandbox lasts. */
  path: string
  /** Serves the link. */
  routes: (app: FastifyInstance) => Promise<void>
}

/** Sets the sandbox up as a first user would. */
export async function inviteGuest(ctx: ProcessContext): Promise<Guest> {
  const login = {
    email: 'guest@outreach.example',
    password: randomBytes(24).toString('base64url'),
  }
  const path = await setUpPath(ctx)
  if (!path) throw new Error('Somebody has set up this sandbox.')
  await setUp(ctx, { ...login, name: 'Guest', token: path.slice(path.indexOf('#') + 1) })

  const token = randomBytes(24).toString('base64url')
  const hash = sha256(token)
  return {
    path: `/guest/${token}`,
    async routes(app) {
      app.get<{ Params: { token: string } }>('/guest/:token', async (req, reply) => {
        if (!timingSafeEqual(sha256(req.params.token), hash)) {
          throw new AppError(
            'unknown_path',
            'This is not the link of this sandbox: open the one that it printed when it began.',
          )
        }
        await signIn(req, reply, login)
        return reply.redirect('/')
      })
    },
  }
}

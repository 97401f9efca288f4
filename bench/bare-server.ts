import Fastify from 'fastify'
import pg from 'pg'

// The limit of the API bench: a Fastify route that runs one prepared select, and nothing else.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 })
const app = Fastify()
app.get<{ Params: { id: string } }>('/campaigns/:id', async (req) => {
  const { rows } = await pool.query({
    name: 'campaign',
    text: 'select * from campaigns where workspace_id = $1 and id = $2',
    values: [process.env.WORKSPACE_ID, req.params.id],
  })
  return rows[0]
})
const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${JSON.stringify({ msg: 'started', address })}\n`)
process.on('SIGTERM', () => process.exit())

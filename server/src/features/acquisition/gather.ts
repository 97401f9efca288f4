/**
 * Does together what is asked for at the same time: one run at a time, and what arrives meanwhile
 * forms the next. Nothing is judged by a run that began before it was asked for.
 *
 * @param most requests of one run
 * @param work answers in the order of the requests
 */
export function gather<Request, Answer>(
  most: number,
  work: (requests: Request[]) => Promise<Answer[]>,
) {
  let waiting: Waiting<Request, Answer>[] = []
  let isRunning = false

  async function run() {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      try {
        const answers = await work(batch.map(({ request }) => request))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  return (request: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      // After the current turn, so that requests parsed together run together.
      if (!isRunning && waiting.length === 1) setImmediate(() => void (isRunning || run()))
    })
}

interface Waiting<Request, Answer> {
  request: Request
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

// biome-ignore lint/suspicious/noExplicitAny: the answers are read as any client reads them
type Answer = any

/** The public API, as a program of a user's calls it. */
export interface ApiClient {
  get: (path: string) => Promise<Answer>
  post: (path: string, body: object) => Promise<Answer>
  patch: (path: string, body: object) => Promise<Answer>
}

/** @throws with the sentence of the service when it says no */
export function createApiClient(address: string, key: string): ApiClient {
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer = (await response.json()) as Answer
    if (response.ok) return answer
    throw new Error(`${method} ${path} was answered with ${response.status}: ${answer.message}`)
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  }
}

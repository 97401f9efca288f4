/** What is told of each workspace: topics, or `*` for everything. */
export type Told = Map<string, Set<string>>

const workspacesMax = 100
/** PostgreSQL takes less than 8,000 bytes. */
const lengthMax = 7900

/** Takes as much as a few messages hold; what is left over is for the next time. */
export function takeMessages(told: Told, messagesMax: number): string[] {
  const messages: string[] = []
  let parts: string[] = []
  let length = 0
  for (const [workspaceId, topics] of told) {
    const part = `${workspaceId} ${[...topics].join()}`
    if (parts.length === workspacesMax || length + part.length > lengthMax) {
      messages.push(parts.join(';'))
      parts = []
      length = 0
      if (messages.length === messagesMax) return messages
    }
    parts.push(part)
    length += part.length + 1
    told.delete(workspaceId)
  }
  if (parts.length > 0) messages.push(parts.join(';'))
  return messages
}

export function readMessage(message: string): [workspaceId: string, topics: string[]][] {
  return message.split(';').map((part) => {
    const [workspaceId = '', topics = ''] = part.split(' ')
    return [workspaceId, topics.split(',')]
  })
}

export { type InboxRunner, startInboxRunner } from './runner.ts'
export { getThread, listThreads, markRead } from './threads.ts'

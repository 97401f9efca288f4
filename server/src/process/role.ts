/** `main` is both others in one process, with a database of its own unless DATABASE_URL is set. */
export type Role = 'main' | 'api' | 'runner'

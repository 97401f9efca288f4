import { afterAll } from 'vitest'
import { databasesRemoved } from './database.ts'

// A set-up file: one that could not be removed, as while a connection is kept, fails its test file.
afterAll(databasesRemoved)

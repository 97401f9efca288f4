import { type Command, Option } from 'commander'
import { parseAtLeastOne, parseTime } from './arguments.ts'

// What several commands take is spelled and explained alike.

export interface Confirmable {
  yes?: true
}

export interface Limited {
  limit: number
}

export interface Period {
  from?: Date
  to?: Date
}

/** @param meaning what happens with it */
export const withYes = (command: Command, meaning: string) => command.option('--yes', meaning)

export const withLimit = (command: Command, preset: number, what = 'how many') =>
  command.option('--limit <number>', what, parseAtLeastOne, preset)

export const withPeriod = (command: Command) =>
  command
    .option('--from <time>', 'from this time on: ISO 8601, or a date (UTC)', parseTime)
    .option('--to <time>', 'before this time, or before this date (UTC)', parseTime)

/** An option that takes one of a few words. */
export const oneOf = (flags: string, what: string, words: readonly string[]) =>
  new Option(flags, what).choices(words)

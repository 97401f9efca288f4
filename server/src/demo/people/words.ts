import { dayMs } from '../../kernel/durations.ts'
/** What people write; whoever reads it has to make out what they mean. */
export const words = {
  wants_demo: 'Sounds good! Could you show it to me next week? Any morning works for me.',
  misses_demo: 'Interesting. Let us have a call, I am on the road but will make it somehow.',
  declines: 'Thanks, but we are not interested.',
  asks: 'Does it run on our own servers? And who looks after it?',
  asks_price: 'What does it cost for a team of ten? Please send your prices.',
  knows_better: 'You want Maria for this. I am the wrong person, I only do the accounts.',
}

/** Three days later, as people write it. */
export const returnDay = (now: Date): string =>
  new Date(now.getTime() + 3 * dayMs).toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  })

/** What somebody does with the mails of a campaign. */
export type Character =
  | 'silent'
  | 'opens'
  | 'clicks'
  | 'wants_demo'
  | 'misses_demo'
  | 'declines'
  | 'asks'
  | 'asks_price'
  | 'knows_better'
  | 'away_until'
  | 'away'
  | 'never_existed'
  | 'has_left'
  | 'is_full'
  | 'is_greylisted'
  | 'unsubscribes_at_once'
  | 'unsubscribes_on_page'
  | 'complains'

/** Of sixty people; bounces stay below the share at which a campaign is paused to protect it. */
const sixty: Record<Character, number> = {
  silent: 19,
  opens: 12,
  clicks: 7,
  wants_demo: 2,
  misses_demo: 1,
  declines: 3,
  asks: 3,
  asks_price: 2,
  knows_better: 1,
  away_until: 2,
  away: 1,
  never_existed: 1,
  has_left: 1,
  is_full: 1,
  is_greylisted: 1,
  unsubscribes_at_once: 1,
  unsubscribes_on_page: 1,
  complains: 1,
}

/** With fewer, somebody would be missing. */
export const peopleMin = 60

const inOrder = Object.entries(sixty).flatMap(([character, count]) =>
  Array.from({ length: count }, () => character as Character),
)

/** Prime to sixty: neighbours are of different characters, and each of them meets everybody. */
const stride = 37

/** A person always has the same character. */
export const characterOf = (number: number): Character =>
  inOrder[(number * stride) % inOrder.length] ?? 'silent'

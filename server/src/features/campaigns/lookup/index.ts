// A door of its own for features that campaigns themselves need: through `../index.ts` each would need
// the other.
export { existsCampaign } from './queries.ts'

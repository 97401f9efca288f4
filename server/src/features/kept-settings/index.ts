export {
  type Contradiction,
  compareSettings,
  outboundOf,
  retentionDaysOf,
  tellFirst,
  toldMsMax,
  toldSettings,
} from './kept-settings.ts'
export { listKeptSettings } from './queries.ts'

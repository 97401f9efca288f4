export {
  type Contradiction,
  compareSettings,
  retentionDaysOf,
  tellFirst,
  toldMsMax,
  toldSettings,
} from './kept-settings.ts'
export { listKeptSettings } from './queries.ts'

export {
  type Contradiction,
  compareSettings,
  eventDaysOf,
  isKeptClient,
  lackingClients,
  outboundOf,
  retentionDaysOf,
  tellFirst,
  toldMsMax,
  toldSettings,
} from './kept-settings.ts'
export { listKeptSettings } from './queries.ts'

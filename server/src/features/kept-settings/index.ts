export {
  type Contradiction,
  compareSettings,
  eventDaysOf,
  isKeptClient,
  keepListener,
  lackingClients,
  listenerOf,
  outboundOf,
  readKept,
  retentionDaysOf,
  tellFirst,
  toldMsMax,
  toldSettings,
  trackingUrlOf,
} from './kept-settings.ts'
export { listKeptSettings } from './queries.ts'

export {
  type Contradiction,
  compareSettings,
  eventDaysOf,
  isKeptClient,
  keepListener,
  lackingClients,
  listenerOf,
  outboundOf,
  processOf,
  readKept,
  retentionDaysOf,
  tellFirst,
  toldMsMax,
  trackingUrlOf,
} from './kept-settings.ts'
export { listKeptSettings } from './queries.ts'

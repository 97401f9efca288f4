export { deleteLane, lockLane, resetLane } from './queries.ts'

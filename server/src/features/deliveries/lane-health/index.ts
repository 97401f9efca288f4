export { deleteLane, lockLane, renewLane, resetLane } from './queries.ts'

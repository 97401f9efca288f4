export { deleteLane, lockLane, renewDisabledLane, renewLane, resetLane } from './queries.ts'

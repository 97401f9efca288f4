export {
  deleteLane,
  findFailingSince,
  lockLane,
  renewDisabledLane,
  renewLane,
  resetLane,
} from './queries.ts'

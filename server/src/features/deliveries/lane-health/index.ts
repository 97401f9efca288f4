export {
  clearFailures,
  clearInFlight,
  clearLaneHealth,
  clearLaneHealthButFailingSince,
  deleteLane,
  findFailingSince,
  lockLane,
} from './queries.ts'

export {
  clearFailures,
  clearLaneHealth,
  clearLaneHealthButFailingSince,
  deleteLane,
  findFailingSince,
  lockLane,
} from './queries.ts'

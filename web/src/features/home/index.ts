export { type PlaceName, placeOf } from './places.ts'

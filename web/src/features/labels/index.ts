export { sentimentTones, statusTones } from './label-tones.ts'
export { labelsSearchOf } from './search.ts'
export { useOwnLabels } from './useOwnLabels.ts'

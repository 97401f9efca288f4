export { sentimentTones } from './label-tones.ts'
export { useOwnLabels } from './useOwnLabels.ts'

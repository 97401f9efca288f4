import { answerAsked } from '../../../kernel/worker-side.ts'
import { forecast } from './forecast.ts'

/* The worker that makes large forecasts. `forecastCampaign` is the other side. */

await answerAsked((asked: Parameters<typeof forecast>) => forecast(...asked))

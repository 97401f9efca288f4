export { type CampaignForecast, forecastCampaign } from './plan/forecast-campaign.ts'
export { type SendingRunner, type SendingRunnerOptions, startSendingRunner } from './runner.ts'

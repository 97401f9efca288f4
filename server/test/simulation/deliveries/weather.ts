import type { Random } from '../../random.ts'
import { drawForecast, type Forecast } from '../engine/weather.ts'

export interface DeliveryForecast extends Forecast {
  retryDelaysMs: number[]
  /** Every receiver fails now and then. */
  troubled: boolean
  /** Of users. */
  actions: number
  /** One transaction with more deliveries than are written at once. */
  fanOut: boolean
}

export const drawDeliveryForecast = (random: Random): DeliveryForecast => ({
  ...drawForecast(random),
  retryDelaysMs: random.pick([
    [1_000, 2_000, 4_000],
    [500, 3_000],
    [2_000, 2_000, 2_000, 2_000, 2_000],
  ]),
  troubled: random.chance(0.2),
  actions: random.whole(25, 80),
  fanOut: random.chance(0.04),
})

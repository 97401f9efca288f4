/** What a bench measured, beside the limit and the target it is judged by. */
export interface Figure {
  name: string
  value: number
  unit: string
  /** What the same machine does without our part of the work. */
  limit?: { name: string; value: number }
  target: string
  met: boolean
}

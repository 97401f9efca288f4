const whole = new Intl.NumberFormat('en')

/** "12,345". */
export const numberText = (number: number): string => whole.format(number)

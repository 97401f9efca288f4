/** Always with one decimal, so that the points of a column stand in a line. */
export const percent = new Intl.NumberFormat('en', {
  ...{ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
})

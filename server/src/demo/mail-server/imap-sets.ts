/** A sequence set such as `1,4:7,9:*` as a test of numbers; `*` is the largest there is. */
export function readSet(text: string, largest: number): (number: number) => boolean {
  const ranges = text.split(',').map((part) => {
    const [from = 0, to = from] = part
      .split(':')
      .map((number) => (number === '*' ? largest : Number(number)))
    return { from: Math.min(from, to), to: Math.max(from, to) }
  })
  return (number) => ranges.some(({ from, to }) => number >= from && number <= to)
}

export const isSet = (text: string) => /^(\d+|\*)(:(\d+|\*))?(,(\d+|\*)(:(\d+|\*))?)*$/.test(text)

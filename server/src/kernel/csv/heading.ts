/** Letters and digits of a heading: however it is written, it is the same. */
export const foldHeading = (heading: string) =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

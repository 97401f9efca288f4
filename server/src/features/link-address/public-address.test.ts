import { expect, test } from 'vitest'
import { isPublicAddress } from './index.ts'

test.each([
  ['https://go.example.com', true],
  ['https://93.184.216.34', true],
  ['http://go.example.com', false],
  ['http://127.0.0.1:3000', false],
  ['http://0.0.0.0:3000', false],
  ['https://localhost', false],
  ['https://10.0.0.7', false],
  ['https://[::1]', false],
  ['https://outrider', false],
  ['https://outrider.internal', false],
])('%s is for everybody: %s', (url, isPublic) => {
  expect(isPublicAddress(url)).toBe(isPublic)
})

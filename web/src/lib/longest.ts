/** How many characters the server takes of what a person types; `longest.test.ts` reads it in the API's document. */
export const longest = {
  ...{ name: 255, address: 320, host: 253, password: 1024, zone: 64, url: 2048, search: 200 },
  ...{ headerName: 128, headerValue: 4096, variableName: 64, variableText: 4000 },
  ...{ leadText: 1000, personalization: 10_000, subject: 500, body: 262_144 },
}

/**
 * Inside a schedule and a sequence `null` equals omitted (contract §1), in a PATCH as well, because
 * there they are replaced whole. Changes the body in place.
 */
export function omitNestedNulls(body: unknown) {
  if (!isObject(body)) return
  for (const field of ['campaign_schedule', 'schedule', 'sequences']) omitNulls(body[field])
}

function omitNulls(value: unknown) {
  if (!isObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (member === null && !Array.isArray(value)) delete value[name]
    else omitNulls(member)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

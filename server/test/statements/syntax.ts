import type { Node } from 'libpg-query'

/**
 * Calls `see` for every node below `tree`, outermost first; a `false` from it keeps the walk out of
 * that node. In the parser's JSON a node is an object under a capitalised key, a field is not.
 */
export function visit(tree: unknown, see: (kind: string, node: object) => boolean) {
  if (typeof tree !== 'object' || tree === null) return
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value !== 'object' || value === null) continue
    if (/^[A-Z]/.test(key) && !see(key, value)) continue
    visit(value, see)
  }
}

/** Every table or CTE named anywhere below `tree`. */
export function tablesNamed(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return []
  const named = 'relname' in tree && typeof tree.relname === 'string' ? [tree.relname] : []
  return [...named, ...Object.values(tree).flatMap(tablesNamed)]
}

/** `a.b.*` as ['a', 'b', '*']. */
export const namesOf = (nodes: Node[] | undefined): string[] =>
  (nodes ?? []).map((node) => {
    if ('String' in node) return node.String.sval ?? ''
    return 'A_Star' in node ? '*' : ''
  })

/** `$n`, or a cast of it. */
export function isParameter(node: Node | undefined): boolean {
  if (!node) return false
  return 'TypeCast' in node ? isParameter(node.TypeCast.arg) : 'ParamRef' in node
}

export interface Equated {
  left: Node
  right: Node
  /** `left = any(right)`: one of several. */
  listed: boolean
}

/** What a condition equates wherever it holds: `a = b`, `(a, b) = (c, d)`, `a = any(b)`, and ANDs. */
export function equatedBy(condition: Node | undefined): Equated[] {
  if (!condition) return []
  if ('BoolExpr' in condition && condition.BoolExpr.boolop === 'AND_EXPR') {
    return (condition.BoolExpr.args ?? []).flatMap(equatedBy)
  }
  if (!('A_Expr' in condition)) return []
  const { kind, name, lexpr: left, rexpr: right } = condition.A_Expr
  if (namesOf(name).at(-1) !== '=' || !left || !right) return []
  if (kind === 'AEXPR_OP_ANY') return [{ left, right, listed: true }]
  if (kind !== 'AEXPR_OP') return []
  if (!('RowExpr' in left && 'RowExpr' in right)) return [{ left, right, listed: false }]
  const others = right.RowExpr.args ?? []
  return (left.RowExpr.args ?? []).flatMap((node, at) => {
    const other = others[at]
    return other ? [{ left: node, right: other, listed: false }] : []
  })
}

import type { RuleRecord } from '../../../core/state/turn.ts';
import { safe } from '../text/layout.ts';

/** The rules tried, as one safe line: `rule 1 (stop) false: flags.n = 1; rule 2 (go) matched`. */
export function ruleTrace(rules: readonly RuleRecord[]): string {
  return rules.map((rule, index) => `rule ${index + 1} (${safe(rule.id)}) ${ruleResult(rule)}`).join('; ');
}

/** Renders the result of one rule as one safe line. */
export function ruleResult(rule: RuleRecord): string {
  if (rule.error !== undefined) return `failed: ${safe(rule.error.message)}`;
  const values = Object.entries(rule.values ?? {})
    .map(([path, value]) => `${safe(path)} = ${safe(JSON.stringify(value) ?? 'null')}`)
    .join(', ');
  const verdict = rule.matched ? 'matched' : 'false';
  return values === '' ? verdict : `${verdict}: ${values}`;
}

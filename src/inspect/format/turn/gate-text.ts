import { ownApprovalGate } from '../../../core/tool/wait-for.ts';
import { type GateView, gateResult } from '../../turn/turn-judgements.ts';
import { placeText } from '../origin-text.ts';
import { safe } from '../text/layout.ts';

/** Renders a gate's judgement of a call as one safe line: `gate big (args.euros > 300) matched, asks: args.euros = 500`. */
export function gateText(gate: GateView): string {
  const { id, condition, verdict, declaredAt } = gate;
  const own = id === ownApprovalGate && declaredAt === undefined ? 'the tool itself' : `gate ${safe(id)}`;
  const when = condition === undefined ? '' : ` (${safe(condition)})`;
  const place = declaredAt === undefined ? '' : `, ${placeText(declaredAt)}`;
  const result = gateResult(gate);
  const says = result === 'matched' || result === 'failed' ? `, ${verdictWords[verdict]}` : '';
  const values = valuesText(gate);
  const why = gate.error === undefined ? '' : `: ${safe(gate.error.message)}`;
  return `${own}${when} ${result.replace('_', ' ')}${says}${why}${values === '' ? '' : `: ${values}`}${place}`;
}

/** What a gate does, by its verdict. */
export const verdictWords = { allow: 'allows', ask: 'asks', deny: 'denies' } as const;

/** Renders the values that a condition read: `args.euros = 500, flags.big = null`. */
export function valuesText({ values = {} }: Pick<GateView, 'values'>): string {
  return Object.entries(values)
    .map(([path, value]) => `${safe(path)} = ${safe(JSON.stringify(value) ?? 'null')}`)
    .join(', ');
}

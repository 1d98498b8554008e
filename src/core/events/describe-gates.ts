import type { GateRecord } from '../state/turn.ts';
import { oneLine } from './one-line.ts';

/** Describes the gates that were asked about a call: `; gates: huge did not match (args.euros = 5), small matched (args.euros = 5)`. */
export function describeGates(gates: readonly GateRecord[] | undefined): string {
  const asked = (gates ?? []).filter(({ skipped }) => skipped !== true);
  if (asked.length === 0) return '';
  return `; gates: ${asked.map(describeGate).join(', ')}`;
}

function describeGate({ id, matched, values = {}, error }: GateRecord): string {
  const result = error === undefined ? (matched ? 'matched' : 'did not match') : `failed, ${oneLine(error.message)}`;
  const read = Object.entries(values).map(([path, value]) => `${path} = ${oneLine(value)}`);
  return `${id} ${result}${read.length === 0 ? '' : ` (${read.join(', ')})`}`;
}

import { beforeAfter } from '../../core/patches/state-changes.ts';
import type { JsonValue } from '../../core/json.ts';
import type { StateAt } from '../state/state-at.ts';
import { Layout, safe } from './text/layout.ts';
import type { FormatOptions } from './text/text-style.ts';

/** Renders the state of a run at one point, or one value with the patches that made it. */
export function formatState({ runId, seq, lastSeq, at, path, value, changes }: StateAt, options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  const place = seq === lastSeq ? `event ${seq}, the last one` : `event ${seq} of ${lastSeq}`;
  out.line(`${style.bold(safe(runId))} after ${place}  ${style.dim(new Date(at).toISOString())}`);
  if (path === undefined) {
    formatValue(out, value as JsonValue, 0);
    return out.toString();
  }
  out.heading(safe(path));
  formatValue(out, value as JsonValue, 2);
  out.heading('Made by');
  if (changes.length === 0) out.line(style.dim('nothing: it is as it began, or the engine keeps it'), 2);
  for (const change of changes) {
    const by = `${change.by ?? 'the engine'}${change.turnId === undefined ? '' : ` in ${change.turnId}`}`;
    const owner = change.scope === 'team' || change.agentId === undefined ? '' : `${change.agentId}.`;
    out.line(`#${change.seq}  ${safe(`${owner}${change.path}`)}  ${safe(beforeAfter(change))}  ${style.dim(`by ${safe(by)}`)}`, 2);
  }
  return out.toString();
}

function formatValue(out: Layout, value: JsonValue, indent: number): void {
  if (typeof value !== 'object' || value === null) {
    out.line(safe(JSON.stringify(value)), indent);
    return;
  }
  const entries = Object.entries(value) as (readonly [string, JsonValue])[];
  if (entries.length === 0) out.line(Array.isArray(value) ? '[]' : '{}', indent);
  for (const [key, part] of entries) {
    const isBranch = typeof part === 'object' && part !== null && Object.keys(part).length > 0;
    const name = out.style.dim(`${safe(key)}:`);
    if (!isBranch) out.line(`${name} ${safe(JSON.stringify(part))}`, indent);
    else {
      out.line(name, indent);
      formatValue(out, part, indent + 2);
    }
  }
}

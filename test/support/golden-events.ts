import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CadreEvent } from '../../src/core/events/event.ts';

/** Golden logs of whole runs, by the names of their files. */
export const goldenLogs = ['three-agents', 'agent-framework', 'openmanus', 'seeingeye'];

/** The events of a golden log. */
export function goldenEvents(log: string): readonly CadreEvent[] {
  const text = readFileSync(path.join(import.meta.dirname, `../golden/${log}.jsonl`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CadreEvent);
}

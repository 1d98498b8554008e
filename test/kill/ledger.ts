import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One line of what tools did outside, and of what the journal acknowledged. */
export type LedgerLine =
  | {
      readonly kind: 'begin' | 'end';
      readonly pid: number;
      readonly tool: string;
      readonly callId: string;
      readonly attempt: number;
      /** What the tool returned, for those who ask later. */
      readonly result?: unknown;
    }
  | { readonly kind: 'acknowledged'; readonly pid: number; readonly seq: number };

function ledgerFile(folder: string): string {
  return path.join(folder, 'ledger.jsonl');
}

/** Adds a line, at once and for good as far as a killed process goes. */
export function note(folder: string, line: LedgerLine): void {
  appendFileSync(ledgerFile(folder), `${JSON.stringify(line)}\n`);
}

/** Everything that was done in the lives of a run, in order. A line that was cut by a kill did not happen. */
export function readLedger(folder: string): readonly LedgerLine[] {
  const file = ledgerFile(folder);
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LedgerLine);
}

import { countText } from '../../inspect/format/text/quantity-text.ts';
import type { Run } from '../../engine/run.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RunSession } from './run-session.ts';

/**
 * Closes the engine of an interrupted run; reports running tools first. Does not wait for calls that wait for documents to be read: a
 * resumed run makes them again.
 */
export async function closeInterrupted(
  run: Run | undefined,
  { engine, reading }: Pick<RunSession, 'engine' | 'reading'>,
  terminal: Terminal,
): Promise<void> {
  const calls = [...(run?.state.agents.values() ?? [])].flatMap((agent) => [...agent.calls.open.values()]);
  const running = calls.filter(({ status }) => status === 'running');
  const isWaiting = reading() !== undefined && running.every(({ request }) => readsDocuments(request.name));
  if (running.length > 0 && !isWaiting)
    terminal.tell(
      `\nStopping: ${countText(running.length, 'tool')} may still finish, for at most 10 s. Press Ctrl-C again to stop immediately.\n`,
    );
  await engine.close(isWaiting ? { graceMs: 0 } : {});
}

function readsDocuments(name: string): boolean {
  return knownDocumentTools().some((tool) => tool.name === name && tool.toolset === 'documents');
}

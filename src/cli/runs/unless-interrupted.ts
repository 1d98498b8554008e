import type { Engine } from '../../engine/engine.ts';
import type { Interruption } from '../terminal/interruption.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Launches or resumes a run with `begin`. A signal meanwhile closes the engine, which ends the wait for slow connections; prints a message
 * and returns undefined when the run had not started.
 */
export async function unlessInterrupted<Begun>(
  { engine, interruption, terminal }: { readonly engine: Engine; readonly interruption: Interruption; readonly terminal: Terminal },
  begin: () => Promise<Begun>,
): Promise<Begun | undefined> {
  const stop = (): void => void engine.close().catch(() => undefined);
  interruption.signal.addEventListener('abort', stop, { once: true });
  try {
    return await begin();
  } catch (thrown) {
    if (!interruption.signal.aborted) throw thrown;
    terminal.tell('\nInterrupted before the run started.\n');
    return undefined;
  } finally {
    interruption.signal.removeEventListener('abort', stop);
  }
}

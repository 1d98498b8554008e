import { countText } from '../../inspect/format/text/quantity-text.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Closes the engine of an interrupted run; reports running tools first. */
export async function closeInterrupted(run: Run | undefined, engine: Engine, terminal: Terminal): Promise<void> {
  const calls = [...(run?.state.agents.values() ?? [])].flatMap((agent) => [...agent.calls.open.values()]);
  const running = calls.filter(({ status }) => status === 'running').length;
  if (running > 0)
    terminal.tell(
      `\nStopping: ${countText(running, 'tool')} may still finish, for at most 10 s. Press Ctrl-C again to stop immediately.\n`,
    );
  await engine.close();
}

import { ConversationLoop } from '../../chat/conversation-loop.ts';
import { LineInput } from '../../chat/line-input.ts';
import { chooseProfile } from '../../options/choose-profile.ts';
import { concludeRun } from '../../../inspect/conclude.ts';
import type { Run } from '../../../engine/run.ts';
import { terminalBy } from '../../access/local-by.ts';
import type { ExitCode } from '../../exit-code.ts';
import { toTerminalText } from '../../../inspect/format/text/terminal-text.ts';
import { closeInterrupted } from '../../runs/close-interrupted.ts';
import { interruptedText } from '../../runs/finish-run.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { profilesFolder } from '../../options/profiles-folder.ts';
import { reopenRunSession } from '../../runs/resumed-run.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { thisCommand } from '../../options/this-command.ts';
import { openRunSession } from '../../runs/run-session.ts';
import { launchOptions, type RunOptions } from './run.ts';

/** Opens a conversation with the root agent of an existing or new run. */
export async function chatCommand(reference: string | undefined, options: RunOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  using interruption = new Interruption();
  await using session =
    reference === undefined
      ? await openRunSession({ ...options, profiles: profilesFolder(options.profiles) })
      : await reopenRunSession(reference, options);
  const { engine } = session;
  const profile = reference === undefined ? chooseProfile(engine.profiles, options.profile) : '';
  const quiet = options.quiet ?? false;
  if (!quiet)
    terminal.tell(
      `${session.openingLines(options.llm ?? session.engine.profiles.team?.llmConfig)}${terminal.isInteractive ? 'Type a message, or /help.\n' : ''}`,
    );
  const follow = (run: Run): Run => {
    interruption.exitMessage = interruptedText(run, options.store, 'chat');
    session.beginReading();
    return run;
  };
  using input = new LineInput(() => interruption.interrupt());
  const loop = new ConversationLoop({
    terminal,
    input,
    interruption,
    quiet,
    raw: options.raw ?? false,
    run: reference === undefined ? undefined : follow(await engine.resume(session.runId, terminalBy())),
    launch: async (message, subscriber) =>
      follow(await engine.launch({ profile, input: message }, { ...launchOptions(options), subscriber })),
  });
  const result = await loop.converse();
  const { run } = loop;
  // Closed first, so that the last messages are accurate.
  if (result === 'interrupted') await closeInterrupted(run, session, terminal);
  else await engine.close();
  if (result === 'interrupted') {
    // The engine closed during the work, so the state of the run is not its conclusion.
    if (run !== undefined) terminal.tell(interruptedText(run, options.store, 'chat'));
    return 130;
  }
  if (run === undefined) return 0;
  const { ok, problem } = concludeRun(run.state);
  if (problem !== undefined) terminal.tell(`error: ${toTerminalText(problem)}\n`);
  if (!quiet) terminal.tell(await session.closingLines());
  if (!quiet && options.store !== 'memory') {
    terminal.tell(
      run.state.outcome === undefined
        ? `\nThe run is kept; continue with: ${thisCommand(['chat', run.id], options.store)}\n`
        : `\nThe run has ended; inspect it with: ${thisCommand(['turns', run.id], options.store)}\n`,
    );
  }
  return ok ? 0 : 1;
}

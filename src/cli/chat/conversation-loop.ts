import { terminalBy } from '../access/local-by.ts';
import type { Run } from '../../engine/run.ts';
import type { RunSubscriber } from '../../engine/subscribers.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { formatRequest } from '../terminal/format-pending.ts';
import { cardOf } from '../runs/card-of.ts';
import { giveVerdict } from '../runs/give-verdict.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { verdictPrompt } from '../terminal/read-verdict.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { answerChatCommand, readChatCommand } from './chat-commands.ts';
import { ChatPrinter } from './chat-printer.ts';
import { LaunchBuffer } from './launch-buffer.ts';
import { type RequestWatch, watchRequest } from '../runs/watch-request.ts';
import type { LineInput } from './line-input.ts';

/** Collaborators and settings of a `ConversationLoop`. */
export interface ConversationParts {
  readonly terminal: Terminal;
  readonly input: Pick<LineInput, 'next' | 'prompt'>;
  readonly interruption: Interruption;
  readonly quiet: boolean;
  /** Prints replies as received, without rendering Markdown. */
  readonly raw: boolean;
  /** Run to continue; when absent, the first message launches one. */
  readonly run: Run | undefined;
  readonly launch: (message: string, subscriber: RunSubscriber) => Promise<Run>;
}

type LoopEvent =
  /** `about` is the id of the request that was on screen when the line arrived. */
  | { readonly kind: 'line'; readonly line: string | undefined; readonly about: string | undefined }
  | { readonly kind: 'settled' }
  | { readonly kind: 'withdrawn'; readonly message: string }
  | { readonly kind: 'interrupted' };

/**
 * Conversation with the root agent of a run.
 *
 * 1. Lines are handled in the order they were typed, each exactly once.
 * 2. On a terminal, a line typed while the team works is sent immediately and read in the next turn; `/now` interrupts the current
 *    turn. Piped lines wait until the team has replied.
 * 3. A line is the verdict on the request that was on screen when it was typed, unless it begins with `/now`. A line that was typed
 *    before a request was shown does not decide it.
 */
export class ConversationLoop {
  readonly #parts: ConversationParts;
  #run: Run | undefined;
  #printer: ChatPrinter | undefined;
  #settled: Promise<LoopEvent> | undefined;
  #next: Promise<LoopEvent> | undefined;
  /** Pending request shown to the user, and the watch on its end. */
  #shown: PendingRequest | undefined;
  #asked: RequestWatch | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    if (parts.run !== undefined) this.#follow(parts.run);
  }

  /** The run; undefined until the first message launches it. */
  get run(): Run | undefined {
    return this.#run;
  }

  /** Runs the conversation until the user leaves, the run ends, or a signal interrupts it. */
  async converse(): Promise<'left' | 'ended' | 'interrupted'> {
    const result = await this.#converse();
    this.#printer?.end();
    return result;
  }

  async #converse(): Promise<'left' | 'ended' | 'interrupted'> {
    if (this.#settled === undefined) await this.#ask();
    for (;;) {
      const event = await this.#wait();
      switch (event.kind) {
        case 'interrupted':
          return 'interrupted';
        case 'settled':
          this.#settled = undefined;
          if (this.#run?.state.outcome !== undefined) return 'ended';
          await this.#ask();
          break;
        case 'withdrawn':
          this.#asked?.[Symbol.dispose]();
          this.#asked = undefined;
          this.#shown = undefined;
          this.#report(`\n${event.message}\n`);
          if (this.#run !== undefined) this.#settled ??= untilSettled(this.#run);
          break;
        case 'line':
          this.#next = undefined;
          if (event.line === undefined || !(await this.#handle(event.line, event.about))) return 'left';
      }
    }
  }

  #wait(): Promise<LoopEvent> {
    const { input, interruption, terminal } = this.#parts;
    const sources: Promise<LoopEvent>[] = [interruption.asked.then(() => ({ kind: 'interrupted' }))];
    if (this.#settled !== undefined) sources.push(this.#settled);
    else if (this.#asked !== undefined) sources.push(untilDecided(this.#asked));
    if (this.#settled === undefined || terminal.isInteractive)
      sources.push((this.#next ??= input.next().then((line) => ({ kind: 'line', line, about: this.#shown?.id }))));
    return Promise.race(sources);
  }

  /** Handles one line; false when the user leaves. */
  async #handle(line: string, about: string | undefined): Promise<boolean> {
    const { terminal } = this.#parts;
    const command = readChatCommand(line);
    if (command?.kind === 'quit') return false;
    if (command?.kind === 'now') {
      if (command.text === '') this.#report('Add a message: /now TEXT\n');
      else await this.#sendMessage(command.text, 'now');
    } else if (command !== undefined) {
      this.#report(answerChatCommand(command, this.#run, { style: terminal.errorStyle, width: terminal.errorWidth }));
      await this.#ask();
    } else if (line.trim() === '') {
      await this.#ask();
    } else {
      await this.#send(line.startsWith('//') ? line.slice(1) : line, about);
    }
    return true;
  }

  async #send(line: string, about: string | undefined): Promise<void> {
    const run = this.#run;
    const request = this.#shown;
    if (run === undefined || request === undefined) return await this.#sendMessage(line, 'next');
    const problem = about === request.id ? await giveVerdict(run, request, line) : typedBefore;
    if (problem !== undefined) {
      this.#report(`${toTerminalText(problem)}\n`);
      await this.#ask();
      return;
    }
    this.#shown = undefined;
    this.#settled ??= untilSettled(run);
  }

  /** Sends a message; the first one launches the run. */
  async #sendMessage(message: string, priority: 'now' | 'next'): Promise<void> {
    const run = this.#run;
    if (run === undefined) {
      const early = new LaunchBuffer();
      this.#follow(await this.#parts.launch(message, early), early);
      return;
    }
    await run.send(message, { priority, ...terminalBy() });
    this.#settled ??= untilSettled(run);
  }

  #follow(run: Run, early?: LaunchBuffer): void {
    this.#run = run;
    this.#printer = new ChatPrinter(run, this.#parts.terminal, { quiet: this.#parts.quiet, raw: this.#parts.raw, early });
    this.#settled = untilSettled(run);
  }

  /** Prompts for the next line, unless the team is working: a prompt must not mix with its output. */
  async #ask(): Promise<void> {
    if (this.#settled !== undefined) return;
    const { terminal, input } = this.#parts;
    const [request] = this.#run?.pending ?? [];
    if (request?.id !== this.#shown?.id) this.#shown = undefined;
    this.#asked?.[Symbol.dispose]();
    this.#asked = this.#run === undefined || request === undefined ? undefined : watchRequest(this.#run, request);
    if (this.#run !== undefined && request !== undefined)
      this.#report(
        `\n${formatRequest(await cardOf(this.#run, request), { style: terminal.errorStyle, width: terminal.errorWidth, now: Date.now() })}`,
      );
    this.#shown = request;
    if (terminal.isInteractive) input.prompt(request === undefined ? '\nyou> ' : verdictPrompt(request));
  }

  #report(text: string): void {
    // Without a run there is no printer, and no line long enough to wrap.
    if (this.#printer === undefined) this.#parts.terminal.tell(text);
    else this.#printer.report(text);
  }
}

/** Answer to a line that arrived while the card of a request was being made. */
const typedBefore = 'Your line was typed before this request was shown, so it decides nothing. Read the request, then answer.';

function untilSettled(run: Run): Promise<LoopEvent> {
  return run.settled().then(() => ({ kind: 'settled' }));
}

function untilDecided(watch: RequestWatch): Promise<LoopEvent> {
  const { gone } = watch;
  return new Promise((resolve) => {
    const report = (): void => resolve({ kind: 'withdrawn', message: watch.outcome });
    if (gone.aborted) report();
    else gone.addEventListener('abort', report, { once: true });
  });
}

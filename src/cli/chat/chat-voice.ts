import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import type { Run } from '../../engine/run.ts';
import type { RunSubscriber } from '../../engine/subscribers.ts';
import { MarkdownWriter } from '../../inspect/format/text/format-markdown.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { wrapLines } from '../../inspect/format/text/wrap-line.ts';
import { createProgressLines, type ProgressLines } from '../progress/progress-lines.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { EarlyListener } from './early-listener.ts';

const whole = { maxLine: 1_000_000, maxLines: 1_000_000 };

/** Settings of a `ChatPrinter`. */
export interface VoiceOptions {
  readonly quiet: boolean;
  /** Prints replies as received, without rendering Markdown. */
  readonly raw: boolean;
  /** Events buffered since the launch; printed first. */
  readonly early?: EarlyListener | undefined;
}

/**
 * Streams the root agent's replies to stdout and the team's progress to stderr. On a terminal, renders Markdown block by block as each
 * completes: lines of code, list items, paragraphs.
 */
export class ChatVoice {
  readonly #run: Run;
  readonly #terminal: Terminal;
  readonly #toLine: ProgressLines | undefined;
  /** Turn and attempt of the reply being printed. */
  #saying: { readonly turnId: TurnId; attempt: number } | undefined;
  #isMidLine = false;
  /** Renders Markdown; undefined when replies are printed as received. */
  readonly #layout: MarkdownWriter | undefined;

  constructor(run: Run, terminal: Terminal, options: VoiceOptions) {
    this.#run = run;
    this.#terminal = terminal;
    this.#toLine = options.quiet ? undefined : createProgressLines(terminal.errorStyle, run.state);
    if (terminal.isOutTerminal && !options.raw)
      this.#layout = new MarkdownWriter(() => ({ style: terminal.outStyle, width: terminal.outWidth }));
    const subscriber: RunSubscriber = {
      onDelta: (agentId, turnId, delta) => this.#onDelta(agentId, turnId, delta),
      onEvents: (events) => {
        for (const event of events) this.#onEvent(event);
      },
    };
    if (options.early === undefined) run.subscribe(subscriber);
    else options.early.handTo(subscriber);
  }

  /** Writes a message about the conversation to stderr, on separate lines. */
  tell(text: string): void {
    this.#endLine();
    const { errorWidth } = this.#terminal;
    this.#terminal.tell(errorWidth === undefined ? text : wrapLines(text, errorWidth));
  }

  /** Prints what the Markdown renderer still buffers. */
  end(): void {
    this.#terminal.print(this.#layout?.end() ?? '');
    this.#endLine();
  }

  #onDelta(agentId: AgentId, turnId: TurnId, { kind, text, attempt }: ModelDelta): void {
    if (kind !== 'text' || agentId !== this.#run.state.rootAgentId) return;
    if (this.#saying?.turnId !== turnId) this.#saying = { turnId, attempt };
    if (this.#saying.attempt !== attempt) {
      this.#saying.attempt = attempt;
      this.end();
      this.tell(this.#terminal.errorStyle.dim('(the model starts its reply over)\n'));
    }
    this.#say(text);
  }

  #onEvent(event: CadreEvent): void {
    if (event.type === 'model.end' && event.agentId === this.#run.state.rootAgentId) {
      // The reply of a model that does not stream.
      if (this.#saying?.turnId !== event.turnId && event.reply !== undefined) this.#say(event.reply.text);
      this.#saying = undefined;
      this.end();
      // With --quiet, a failed reply is still reported.
      if (this.#toLine === undefined && event.error !== undefined && event.error.code !== 'MODEL_INTERRUPTED')
        this.tell(`error: the model call failed: ${toTerminalText(event.error.message)}\n`);
    }
    const line = this.#toLine?.(event);
    if (line !== undefined) this.tell(`${line}\n`);
  }

  #say(text: string): void {
    if (text === '') return;
    if (this.#layout !== undefined) {
      this.#terminal.print(this.#layout.write(text));
      return;
    }
    this.#terminal.print(toTerminalText(text, whole));
    this.#isMidLine = !text.endsWith('\n');
  }

  #endLine(): void {
    if (!this.#isMidLine) return;
    this.#terminal.print('\n');
    this.#isMidLine = false;
  }
}

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
import type { LaunchBuffer } from './launch-buffer.ts';

const whole = { maxLine: 1_000_000, maxLines: 1_000_000 };

/** Settings of a `ChatPrinter`. */
export interface PrinterOptions {
  readonly quiet: boolean;
  /** Prints replies as received, without rendering Markdown. */
  readonly raw: boolean;
  /** Events buffered since the launch; printed first. */
  readonly early?: LaunchBuffer | undefined;
}

/**
 * Streams the root agent's replies to stdout and the team's progress to stderr. On a terminal, renders Markdown block by block as each
 * completes: lines of code, list items, paragraphs.
 */
export class ChatPrinter {
  readonly #run: Run;
  readonly #terminal: Terminal;
  readonly #toLine: ProgressLines | undefined;
  /** Turn and attempt of the reply being printed. */
  #current: { readonly turnId: TurnId; attempt: number } | undefined;
  #isMidLine = false;
  /** Renders Markdown; undefined when replies are printed as received. */
  readonly #markdown: MarkdownWriter | undefined;

  constructor(run: Run, terminal: Terminal, options: PrinterOptions) {
    this.#run = run;
    this.#terminal = terminal;
    this.#toLine = options.quiet ? undefined : createProgressLines(terminal.errorStyle, run.state);
    if (terminal.isOutTerminal && !options.raw)
      this.#markdown = new MarkdownWriter(() => ({ style: terminal.outStyle, width: terminal.outWidth }));
    const subscriber: RunSubscriber = {
      onDelta: (agentId, turnId, delta) => this.#onDelta(agentId, turnId, delta),
      onEvents: (events) => {
        for (const event of events) this.#onEvent(event);
      },
    };
    if (options.early === undefined) run.subscribe(subscriber);
    else options.early.attach(subscriber);
  }

  /** Writes a message about the conversation to stderr, on separate lines. */
  report(text: string): void {
    this.#endLine();
    const { errorWidth } = this.#terminal;
    this.#terminal.tell(errorWidth === undefined ? text : wrapLines(text, errorWidth));
  }

  /** Prints what the Markdown renderer still buffers. */
  end(): void {
    this.#terminal.print(this.#markdown?.end() ?? '');
    this.#endLine();
  }

  #onDelta(agentId: AgentId, turnId: TurnId, { kind, text, attempt }: ModelDelta): void {
    if (kind !== 'text' || agentId !== this.#run.state.rootAgentId) return;
    if (this.#current?.turnId !== turnId) this.#current = { turnId, attempt };
    if (this.#current.attempt !== attempt) {
      this.#current.attempt = attempt;
      this.end();
      this.report(this.#terminal.errorStyle.dim('(the model starts its reply over)\n'));
    }
    this.#print(text);
  }

  #onEvent(event: CadreEvent): void {
    if (event.type === 'model.end' && event.agentId === this.#run.state.rootAgentId) {
      // The reply of a model that does not stream.
      if (this.#current?.turnId !== event.turnId && event.reply !== undefined) this.#print(event.reply.text);
      this.#current = undefined;
      this.end();
      // With --quiet, a failed reply is still reported.
      if (this.#toLine === undefined && event.error !== undefined && event.error.code !== 'MODEL_INTERRUPTED')
        this.report(`error: the model call failed: ${toTerminalText(event.error.message)}\n`);
    }
    const line = this.#toLine?.(event);
    if (line !== undefined) this.report(`${line}\n`);
  }

  #print(text: string): void {
    if (text === '') return;
    if (this.#markdown !== undefined) {
      this.#terminal.print(this.#markdown.write(text));
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

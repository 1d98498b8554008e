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

/** How a conversation is told. */
export interface VoiceOptions {
  readonly quiet: boolean;
  /** Words are printed as they arrive, their Markdown not laid out. */
  readonly raw: boolean;
  /** What was heard of the run since it was launched; it is said first. */
  readonly early?: EarlyListener | undefined;
}

/**
 * Says on stdout what the root agent says, while it says it, and on stderr what the team does meanwhile. On a terminal Markdown is laid
 * out, each piece as soon as it is complete: lines of code, items of lists, whole paragraphs.
 */
export class ChatVoice {
  readonly #run: Run;
  readonly #terminal: Terminal;
  readonly #toLine: ProgressLines | undefined;
  /** The reply that is being said: its turn, its attempt, and whether the cursor stands behind its words. */
  #saying: { readonly turnId: TurnId; attempt: number } | undefined;
  #isMidLine = false;
  /** Lays out what is said; undefined where words are printed as they arrive. */
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

  /** Writes something about the conversation, on lines of its own. */
  tell(text: string): void {
    this.#endLine();
    const { errorWidth } = this.#terminal;
    this.#terminal.tell(errorWidth === undefined ? text : wrapLines(text, errorWidth));
  }

  /** Says what was held back until its end is known: nothing that arrived stays unsaid. */
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
      this.tell(this.#terminal.errorStyle.dim('(the model begins its answer again)\n'));
    }
    this.#say(text);
  }

  #onEvent(event: CadreEvent): void {
    if (event.type === 'model.end' && event.agentId === this.#run.state.rootAgentId) {
      // A model that does not stream is heard here.
      if (this.#saying?.turnId !== event.turnId && event.reply !== undefined) this.#say(event.reply.text);
      this.#saying = undefined;
      this.end();
      // Where no progress is shown, a question whose answer failed is told of all the same.
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

import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnRecord } from '../../inspect/turn/turn-record.ts';

/** Origin of a text in a prompt, in the words of test files. */
export interface PromptOrigin {
  readonly segment?: string;
  readonly source?: string;
  readonly ingestor?: string;
  readonly observer?: string;
  readonly rule?: string;
  readonly tool?: string;
}

/** Returns the origins of all places of a text in a turn's prompt; a text over several parts counts for the one it begins in. */
export function originsOf(run: RunContext, { prompt }: Pick<TurnRecord, 'prompt'>, text: string): readonly PromptOrigin[] {
  const origins: PromptOrigin[] = [];
  if (text === '') return origins;
  for (let at = prompt.text.indexOf(text); at >= 0; at = prompt.text.indexOf(text, at + 1)) {
    const span = prompt.spans.find(({ range: [from, to] }) => from <= at && at < to);
    if (span === undefined) continue;
    if (span.source === 'segment') origins.push({ segment: span.ref });
    else origins.push(originOfItem(run, span.ref, span.callId) ?? { source: span.source });
  }
  return origins;
}

function originOfItem(run: RunContext, itemId: string, callId: string | undefined): PromptOrigin | undefined {
  for (const turn of run.turns.values()) {
    const index = turn.start.inputs.findIndex(
      (input) => input.itemId === itemId || (callId !== undefined && input.callId === callId),
    );
    const input = turn.start.inputs[index];
    if (input === undefined) continue;
    const item = turn.items[index];
    const call = input.callId;
    const tool = [...run.turns.values()].flatMap(({ calls }) => calls).find((each) => each.callId === call)?.request.name;
    return {
      source: input.source,
      ingestor: input.ingestor,
      ...(item?.observerId === undefined ? {} : { observer: item.observerId }),
      ...(item?.ruleId === undefined ? {} : { rule: item.ruleId }),
      ...(tool === undefined ? {} : { tool }),
    };
  }
  return undefined;
}

/** Renders an origin: `segment: mission`, or `source: USER_PROMPT, ingestor: user_prompt`. */
export function originText(origin: PromptOrigin): string {
  return Object.entries(origin)
    .map(([key, value]) => `${key}: ${String(value)}`)
    .join(', ');
}

/** Renders a prompt as a readable file: the messages with their roles. */
export function promptDocument({ prompt, tools, toolChoice }: Pick<TurnRecord, 'prompt' | 'tools' | 'toolChoice'>): string {
  const messages = new Map<number, { readonly role: string; text: string }>();
  for (const { messageIndex, role, text, file } of prompt.spans) {
    const message = messages.get(messageIndex) ?? { role, text: '' };
    messages.set(messageIndex, message);
    message.text += file === undefined ? text : `[${file.mediaType}${file.filename === undefined ? '' : ` ${file.filename}`}]\n`;
  }
  const parts = [...messages.values()].map(({ role, text }) => `=== ${role}\n\n${text.trimEnd()}\n`);
  const choice = toolChoice === undefined || toolChoice === 'auto' ? '' : ` (choice: ${toolChoice})`;
  return `${parts.join('\n')}\n=== tools${choice}\n\n${tools.toSorted().join('\n') || '(none)'}\n`;
}

import type { OpenSpan } from './span-writer.ts';

/** Spans of the calls that have not ended. A model may call a tool by any words: a span is named once there is a tool of that name. */
export class OpenCalls {
  readonly #open = new Map<string, { readonly span: OpenSpan; readonly tool: string }>();
  /** Tools that were run. */
  readonly #known = new Set<string>();

  get(callId: string): OpenSpan | undefined {
    return this.#open.get(callId)?.span;
  }

  add(callId: string, tool: string, span: OpenSpan): void {
    this.#open.set(callId, { span, tool });
    if (this.#known.has(tool)) this.name(callId);
  }

  /** Names a span by its tool. */
  name(callId: string): void {
    const call = this.#open.get(callId);
    if (call === undefined) return;
    this.#known.add(call.tool);
    call.span.span.setAttribute('gen_ai.tool.name', call.tool);
    call.span.span.updateName(`execute_tool ${call.tool}`);
  }

  /** Removes a call; returns its span and what the model called. */
  take(callId: string): { readonly span: OpenSpan; readonly tool: string } | undefined {
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    return call;
  }

  values(): readonly OpenSpan[] {
    return [...this.#open.values()].map(({ span }) => span);
  }

  clear(): void {
    this.#open.clear();
  }
}

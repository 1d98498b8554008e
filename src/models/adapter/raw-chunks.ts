type Fields = Readonly<Record<string, unknown>>;

/**
 * Facts in a provider's raw chunks that its package does not pass on.
 *
 * Owns: signs of a complete stream without a finish reason, the provider's own finish reason, reports of a broken call. Does not
 * own: the conclusions (`reply-builder.ts`).
 * 1. `[DONE]` and Anthropic's `message_stop` are an end.
 * 2. Usage in a separate chunk after all content is an end, except from servers that report usage in every chunk.
 */
export class RawChunks {
  #seen = 0;
  #isOver = false;
  #countsOnTheWay = false;
  #endsWithUsage = false;
  #nativeReason = '';
  #finishMessage = '';
  #failedGeneration: string | undefined;

  /** True when the stream signalled that it is complete. */
  get isOver(): boolean {
    return this.#isOver || this.#endsWithUsage;
  }

  /** True when the model's package passes on no raw chunks. */
  get isBlind(): boolean {
    return this.#seen === 0;
  }

  /** The provider's own finish reason; empty when there was none. */
  get nativeReason(): string {
    return this.#nativeReason;
  }

  /** The provider's explanation of its finish reason; empty when there was none. */
  get finishMessage(): string {
    return this.#finishMessage;
  }

  /** Text that the model wrote instead of a call, from an error in the stream. */
  get failedGeneration(): string | undefined {
    return this.#failedGeneration;
  }

  /** Notes that the stream said `[DONE]`. */
  saidDone(): void {
    this.#isOver = true;
  }

  /** Takes a chunk as its provider sent it: parsed JSON of any shape. */
  accept(chunk: unknown): void {
    this.#seen += 1;
    const { type, error, choices, candidates, usage } = fields(chunk);
    if (type === 'message_stop') this.#isOver = true;
    const failed = fields(error)['failed_generation'];
    if (typeof failed === 'string') this.#failedGeneration = failed;
    if (Array.isArray(choices)) this.#acceptChoices(choices, usage);
    if (Array.isArray(candidates)) {
      const { finishReason, finishMessage } = fields(candidates[0]);
      if (typeof finishReason === 'string') this.#nativeReason = finishReason;
      if (typeof finishMessage === 'string') this.#finishMessage = finishMessage;
    }
  }

  #acceptChoices(choices: readonly unknown[], usage: unknown): void {
    const native = fields(choices[0])['native_finish_reason'];
    if (typeof native === 'string') this.#nativeReason = native;
    const counts = Object.values(fields(usage)).some((count) => typeof count === 'number' && count > 0);
    const hasContent = choices.some(isContent);
    if (counts && hasContent) this.#countsOnTheWay = true;
    if (hasContent) this.#endsWithUsage = false;
    else if (counts) this.#endsWithUsage = !this.#countsOnTheWay;
  }
}

function isContent(choice: unknown): boolean {
  const { delta, text } = fields(choice);
  if (typeof text === 'string' && text !== '') return true;
  return Object.entries(fields(delta)).some(([key, value]) => {
    if (key === 'role' || key === 'type') return false;
    return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
  });
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

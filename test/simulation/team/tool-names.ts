// Schemas are compiled once per object in the program.
const anyArguments = { type: 'object' };
const strictArguments = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

/** Effect tools by name, with their definitions for the engine. */
export const effectTools: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  pay: {},
  fetch: { effect: 'pure' },
  put: { effect: 'idempotent' },
  probe: { effect: 'verifiable', verify: 'look_up' },
  look_up: { effect: 'pure' },
  mail: { on_unknown: 'ask_human' },
  drop: { on_unknown: 'fail' },
  serial: { concurrency: 'serial' },
  alone: { concurrency: 'exclusive' },
  only: { exclusive: true },
  finish: { ends_flow: true },
  gated: {},
  sign: {},
  ship: {},
  spend: { concurrency: 'serial' },
  strict: { parameters: strictArguments },
};

/** Whatever the tool, its arguments are an object, unless it says more. */
export const usual: Readonly<Record<string, unknown>> = { parameters: anyArguments, timeout_ms: 2_000 };

/** Tools whose calls may be repeated after a crash. */
export const repeatable: ReadonlySet<string> = new Set(['fetch', 'put', 'look_up']);

/** Tools that may run before their start is on record: whatever becomes of them, nothing outside has changed. */
export const pure: ReadonlySet<string> = new Set(['fetch', 'look_up']);

/** Tools whose gates ask a person; some of their calls, or all. */
export const asking: Readonly<Record<string, (n: unknown) => boolean>> = {
  gated: (n) => n !== 0,
  sign: () => true,
  ship: () => true,
};

/** All tools of the random profiles. */
export const toolNames: readonly string[] = [...Object.keys(effectTools), 'delegate', 'ask_person', 'ask_soon'];

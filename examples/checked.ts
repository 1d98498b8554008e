/**
 * What the examples share: they say what they need before they start, their scripted models stop where a tool failed, and they end with 1 unless
 * everything in them worked.
 */
import type { Run } from '../src/index.ts';
import type { ScriptedReply, ScriptedRequest } from '../src/testing/index.ts';
import { checkSandbox } from '../src/toolsets/sandbox/sandbox.ts';

/**
 * Ends the program with 1 where its commands need a sandbox and none can be made, before anything has begun.
 * Returns false when the program was started with `--no-sandbox`, and its commands may do whatever it may do.
 */
export async function needsSandbox(): Promise<boolean> {
  if (process.argv.includes('--no-sandbox')) return false;
  try {
    await checkSandbox();
    return true;
  } catch (thrown) {
    const { message } = thrown as Error;
    console.error(
      `${message.split(' Or say ')[0]} Or run this program with --no-sandbox, and its commands may do whatever it may do.`,
    );
    process.exit(1);
  }
}

/**
 * Replies for a scripted model, one per call, that stop at the first tool call that failed: a list does not look at results. A failure that is
 * part of the story, as `mended` tells by its text, goes on.
 */
export function unlessFailed(
  replies: readonly ScriptedReply[],
  mended?: RegExp,
): readonly ((request: ScriptedRequest) => ScriptedReply)[] {
  return replies.map((reply) => (request) => {
    const failure = failuresIn(request).find((each) => mended?.test(each) !== true);
    return failure === undefined ? reply : { error: Object.assign(new Error(failure), { isRetryable: false }) };
  });
}

/** The failed calls that a request shows, in results of their own or in a stream of events. */
function failuresIn({ prompt }: ScriptedRequest): readonly string[] {
  return prompt.flatMap(({ role, content }) => {
    if (role === 'system') return [];
    return content.flatMap((part) => {
      if (part.type === 'tool-result' && /^(?:error|execution-denied)/.test(part.output.type))
        return [`${part.toolName} failed: ${JSON.stringify(part.output)}`];
      return role === 'user' && part.type === 'text' ? (part.text.match(/^ERROR of [^]{0,2000}/m) ?? []) : [];
    });
  });
}

/**
 * Prints how a run ended, in the words of `says` if there are any. The program ends with 1, and says why, when the run did not succeed, a tool
 * call of it failed (but for those that `mended` tells by their text), or something does not hold.
 */
export async function conclude(
  run: Run,
  {
    holds = {},
    mended,
    says,
  }: {
    readonly holds?: Readonly<Record<string, boolean>>;
    readonly mended?: RegExp;
    readonly says?: string | undefined;
  } = {},
): Promise<void> {
  const { status, outcome = 'success', output, error } = await run.settled();
  const failed = run.turns().flatMap(({ toolInteractions }) => toolInteractions.filter((call) => call.status !== 'ok'));
  const wrong = [
    ...failed
      .map(({ name, content }) => `${name} failed: ${String(content)}`)
      .filter((each) => mended?.test(each) !== true)
      .map((each) => each.slice(0, 1000)),
    ...(outcome === 'success' ? [] : [`the run ended with ${outcome}: ${error?.message ?? output}`]),
    ...Object.entries(holds).flatMap(([claim, isTrue]) => (isTrue ? [] : [`it does not hold that ${claim}`])),
  ];
  if (wrong.length === 0 && (says ?? output) !== '') console.log(`${status}: ${says ?? output}`);
  for (const each of wrong) console.error(`error: ${each}`);
  if (wrong.length > 0) process.exitCode = 1;
}

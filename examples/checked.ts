/**
 * Helpers of the examples: check requirements before the start, stop scripted models at a failed tool call, and exit with 1 unless
 * everything worked.
 */
import type { Run } from '../src/index.ts';
import type { ScriptedReply, ScriptedRequest } from '../src/testing/index.ts';
import { checkSandbox } from '../src/toolsets/sandbox/sandbox.ts';

/**
 * Exits with 1 before the start when commands need a sandbox and none is available. Returns false with `--no-sandbox`: commands then run
 * with all rights of the program.
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
 * Wraps replies of a scripted model, one per call, to stop at the first failed tool call. Failures for which `mended` returns true, given
 * their text, are part of the example and do not stop it.
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

/** Returns the failed calls that a request shows, as tool results or in a stream of events. */
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
 * Prints the end of a run, with `says` if given. The program exits with 1 and the reason when the run did not succeed, when a tool call
 * failed (except those for which `mended` returns true, given their text), or when a check fails.
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

import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { ToolsetKind } from '../../core/tool/toolset.ts';
import { cutText } from '../../tools/cut-text.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { durationOf, durationSetting } from '../settings.ts';
import { runChild } from '../worker/run-child.ts';
import { leastMemoryMb, partChars, type JavaScriptJob, type JavaScriptOutcome } from './run-in-quickjs.ts';

/** Maximum duration that arguments can ask for, in milliseconds. */
const longestMs = 5 * 60_000;
/**
 * Extra time before the process is ended, in milliseconds: it has to start, and some operations of QuickJS (filling a big array) do not
 * check the time.
 */
const startMs = 5_000;
/** Memory of the process beside that of the code, for what its console and its value take outside the engine, in megabytes. */
const besideMb = 256;

/** Toolset `javascript`: runs code in a separate engine (QuickJS in WebAssembly) without files and network. */
export const javascriptToolset: ToolsetKind = {
  kind: 'javascript',
  description: 'JavaScript in an engine of its own, without files and network.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      timeout: durationSetting('Longest time; default 10s, at most 5m.'),
      max_memory_mb: {
        description: 'Memory of the code with its engine; default 64.',
        type: 'number',
        minimum: leastMemoryMb,
        maximum: 1024,
      },
    },
  },
  tools: ['run_javascript'],
  create: ({ name, settings, toolName }) => {
    const timeoutMs = Math.min(longestMs, durationOf(settings, 'timeout', 10_000));
    const megabytes = typeof settings['max_memory_mb'] === 'number' ? settings['max_memory_mb'] : 64;
    const tool = defineTool({
      name: toolName('run_javascript'),
      description:
        'Runs JavaScript and gives what it writes to the console and the value of its last expression. It computes only: there are ' +
        'no files, no network, no timers, no modules to import, and nothing is kept between calls.',
      toolset: name,
      parameters: {
        type: 'object',
        required: ['code'],
        additionalProperties: false,
        properties: {
          code: { type: 'string', minLength: 1, maxLength: 1024 * 1024 },
          timeout: { type: 'number', exclusiveMinimum: 0, maximum: longestMs / 1000, description: 'Longest time, in seconds.' },
        },
      },
      effect: 'pure',
      needs_approval: true,
      by_name_only: true,
      trust: 'untrusted',
      timeout_ms: longestMs + 60_000,
      execute: async (args, { signal }) => {
        const time = typeof args['timeout'] === 'number' ? args['timeout'] * 1000 : timeoutMs;
        const job: JavaScriptJob = { code: String(args['code']), timeoutMs: time, memoryMb: megabytes };
        const outcome = await runChild({
          file: new URL('./javascript-worker', import.meta.url),
          input: job,
          timeoutMs: time + startMs,
          maxMemoryMb: megabytes + besideMb,
          signal,
          what: 'The code',
          advice: `That is max_memory_mb (${megabytes}) and ${besideMb} MB for what it writes: write less, and end with a smaller value.`,
        });
        return describe(outcome as JavaScriptOutcome);
      },
    });
    return { tools: [tool] };
  },
};

function describe({ console, dropped, value, error }: JavaScriptOutcome): ToolReturn {
  const lost = dropped === 0 ? '' : `… [${dropped} more characters were not kept]`;
  const parts = [
    ...(console === '' ? [] : ['--- console', cutText(console, partChars) + lost]),
    ...(value === undefined ? [] : ['--- value', value]),
    ...(error === undefined ? [] : ['--- error', error]),
  ];
  const content = parts.length === 0 ? '(no output)' : parts.join('\n');
  return toolReturn({ content, ...(error === undefined ? {} : { isError: true }) });
}

import type { JsonObject } from '../../core/json.ts';
import type { ToolsetKind } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { environmentWords, longestMs, programSettings, toProgramSettings } from '../process/program-settings.ts';
import { programWords } from '../../files/programs/agreed-program.ts';
import { sandboxUse, sandboxWords, toSandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { runPython } from './run-python.ts';

/** Maximum length of code, in characters. */
const maxCodeChars = 1024 * 1024;

/** Toolset `python`: runs code in a separate process, in a sandbox unless the settings turn it off. */
export const pythonToolset: ToolsetKind = {
  kind: 'python',
  description: 'Python code in a process of its own, in the workspace.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...programSettings('60s'),
      python: {
        type: 'string',
        minLength: 1,
        description: 'The program: a name, or a path relative to the folder where Cadre was started; default python3.',
      },
    },
  },
  tools: ['run_python'],
  reaches: (settings) => [
    {
      kind: 'command',
      text: `code that agents write, in ${programOf(settings)}${programWords({ argv: [programOf(settings)], folder: process.cwd() })}, ${sandboxWords(toSandboxPolicy(settings))}${environmentWords(settings)}`,
    },
  ],
  create: (request) => {
    const { name, settings, toolName } = request;
    const limits = toProgramSettings(request, 60_000);
    const program = programOf(settings);
    const tool = defineTool({
      name: toolName('run_python'),
      description:
        'Runs Python code in a process of its own, in the workspace, and gives what it prints, the value of its last expression, ' +
        'and the files it writes; small images among them are shown. Nothing is kept between calls but files.',
      toolset: name,
      parameters: {
        type: 'object',
        required: ['code'],
        additionalProperties: false,
        properties: {
          code: { type: 'string', minLength: 1, maxLength: maxCodeChars },
          timeout: { type: 'number', exclusiveMinimum: 0, maximum: longestMs / 1000, description: 'Longest time, in seconds.' },
        },
      },
      effect: 'unsafe',
      concurrency: 'serial',
      needs_approval: true,
      by_name_only: true,
      trust: 'untrusted',
      timeout_ms: longestMs + 60_000,
      execute: async (args, context) => {
        const timeoutMs = typeof args['timeout'] === 'number' ? args['timeout'] * 1000 : limits.timeoutMs;
        return await runPython({ program, code: String(args['code']), timeoutMs }, limits, context);
      },
    });
    return { tools: [{ ...tool, sandbox: sandboxUse(limits.policy) }] };
  },
};

function programOf(settings: JsonObject): string {
  return typeof settings['python'] === 'string' ? settings['python'] : 'python3';
}

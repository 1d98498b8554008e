import { CadreError } from '../../core/error.ts';
import type { Clock } from '../../core/clock.ts';
import { type JsonObject, isJsonObject } from '../../core/json.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import type { Toolset, ToolsetHost, ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import { importCode } from './import-code.ts';
import { describeProblem } from './describe-problem.ts';
import { toolsOfModule } from './tools-of-module.ts';

/** Longest time to load the code and get its tools, in milliseconds. */
const longestLoadMs = 10_000;

/** Kind of toolset whose tools come from a TypeScript or JavaScript file in the team's folder. */
export const moduleToolset: ToolsetKind = {
  kind: 'module',
  description: "Tools of your own: those that a TypeScript or JavaScript file of the team's folder exports.",
  settings: {
    type: 'object',
    additionalProperties: false,
    required: ['path'],
    properties: {
      path: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        'x-request': false,
        description:
          'The file, relative to this one or to a folder above: ./tools/weather.ts. It must be in the folder of the team.',
      },
      options: {
        type: 'object',
        'x-request': false,
        description: 'What the function that the file exports by default is called with; an empty object unless given.',
      },
    },
  },
  tools: [],
  create: createModuleToolset,
};

function createModuleToolset({ name, settings, code }: ToolsetRequest): Toolset {
  if (code === undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `toolsets: '${name}' is of the kind module, which files of a team's folder declare; code gives its tools itself: createEngine({ tools })`,
    );
  return {
    tools: [],
    isRequired: true,
    // Approvals apply to this version of the code only.
    settingsFor: () => ({ ...settings, code: code.hash }),
    connect: ({ clock, setTools, setHealth }: ToolsetHost) => {
      const load = async (): Promise<readonly EffectTool[]> => {
        const exports = await importCode(code);
        const options: JsonObject = isJsonObject(settings['options']) ? settings['options'] : {};
        return await toolsOfModule(exports, { toolset: name, options, hash: code.hash });
      };
      withinTime(clock, load()).then(
        (tools) => {
          setTools(tools);
          setHealth({ status: 'ready' });
        },
        (thrown: unknown) => setHealth({ status: 'failed', message: describeProblem(thrown) }),
      );
    },
  };
}

/** Fails after a time limit: code that waits forever would keep its run from starting. */
async function withinTime<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const seconds = longestLoadMs / 1000;
  const cancel = clock.setTimer(longestLoadMs, () =>
    reject(
      new CadreError('TOOL_INVALID', `it did not load within ${seconds} s: something it awaits at its top level never settles`),
    ),
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}

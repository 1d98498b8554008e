import { expect, onTestFinished } from 'vitest';
import type { AgentId, CallId, RunId, TurnId } from '../../../src/core/ids.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ToolContext } from '../../../src/core/tool.ts';
import { CadreError } from '../../../src/core/error.ts';
import {
  createDocumentTools,
  type DocumentTools,
  type DocumentToolsOptions,
} from '../../../src/tools/documents/create-document-tools.ts';

/** Calls a tool of the toolset and gives its text. */
export type CallTool = (name: string, args: JsonObject, signal?: AbortSignal) => Promise<string>;

/** The tools over a folder, disposed of after the test, and a way to call them. */
export function openTools(options: DocumentToolsOptions): { readonly documents: DocumentTools; readonly call: CallTool } {
  const documents = createDocumentTools(options);
  onTestFinished(() => documents[Symbol.dispose]());
  const call: CallTool = async (name, args, signal = new AbortController().signal) => {
    const tool = documents.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const result = await tool.execute(args, contextWith(signal));
    if (typeof result !== 'string') throw new Error(`${name} returned ${typeof result}`);
    return result;
  };
  return { documents, call };
}

/** The error a promise ends in, which must be a CadreError. */
export async function errorOf(promise: Promise<unknown>): Promise<CadreError> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(CadreError);
    if (error instanceof CadreError) return error;
  }
  throw new Error('it did not fail');
}

function contextWith(signal: AbortSignal): ToolContext {
  return {
    runId: 'run' as RunId,
    agentId: 'A' as AgentId,
    turnId: 'A.t1' as TurnId,
    toolCallId: 'call00001' as CallId,
    providerCallId: 'p1',
    attempt: 1,
    signal,
    progress: () => undefined,
    agent: {},
    team: {},
    context: {},
  };
}

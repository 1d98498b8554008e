import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { toolContext } from '../../tools/tool-context.ts';
import { CadreError } from '../../../src/core/error.ts';
import {
  createDocumentTools,
  type DocumentTools,
  type DocumentToolsOptions,
} from '../../../src/toolsets/documents/create-document-tools.ts';

/** Calls a tool of the toolset and gives its text. */
export type CallTool = (name: string, args: JsonObject, signal?: AbortSignal) => Promise<string>;

/** The tools over a folder, disposed of after the test, and a way to call them. */
export function openTools(options: DocumentToolsOptions): { readonly documents: DocumentTools; readonly call: CallTool } {
  const documents = createDocumentTools(options);
  onTestFinished(() => documents[Symbol.dispose]());
  const call: CallTool = async (name, args, signal = new AbortController().signal) => {
    const tool = documents.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const result = await tool.execute(args, toolContext({ signal }));
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

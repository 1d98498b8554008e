import type { JsonObject } from '../../core/json.ts';
import type { Toolset, ToolsetRequest } from '../../core/tool/toolset.ts';

/** A toolset declared in code: a kind with settings, as in a file, or a factory. */
export type ToolsetOption =
  | { readonly kind?: string; readonly settings?: JsonObject }
  | ((request: Pick<ToolsetRequest, 'name' | 'toolName'>) => Toolset);

/** Returns how a toolset's tools are named: plainly when it has the name of its kind, otherwise prefixed with its own name. */
export function toolNaming(name: string, kind: string | undefined): ToolsetRequest['toolName'] {
  return (tool) => (name === kind ? tool : `${name}_${tool}`);
}

import type { JsonObject } from '../../core/json.ts';
import type { Toolset, ToolsetRequest } from '../../core/tool/toolset.ts';

/** A toolset as code declares it: a kind with settings, as in a file, or who makes it. */
export type ToolsetOption =
  | { readonly kind?: string; readonly settings?: JsonObject }
  | ((request: Pick<ToolsetRequest, 'name' | 'toolName'>) => Toolset);

/** How the tools of a toolset are named: plain when it bears the name of its kind, else with its own name in front. */
export function toolNaming(name: string, kind: string | undefined): ToolsetRequest['toolName'] {
  return (tool) => (name === kind ? tool : `${name}_${tool}`);
}

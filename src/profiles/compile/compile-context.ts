import type { KnownNames } from '../../core/profile/known-names.ts';
import type { HandoverProtocol } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import { isOtherName } from '../../core/tool/tool-naming.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import type { Report } from '../report.ts';
import { nameHint, quote } from '../wording.ts';
import type { Place, SourceNode } from '../yaml/source-node.ts';

/** What compiling one file may refer to. */
export interface CompileContext {
  readonly report: Report;
  /** What `${VARIABLES}` of texts are read from when a request does not set them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly known: Partial<KnownNames>;
  /** Names of LLM configs, and of those that name no model and are only inherited from. */
  readonly llmConfigs: ReadonlySet<string>;
  readonly abstractLlmConfigs: ReadonlySet<string>;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** Tools that profiles are exposed as: name → where. */
  readonly exposedTools: ReadonlyMap<string, Place>;
  /** The toolsets those belong to, and every profile there is. */
  readonly exposedToolsets: ReadonlySet<string>;
  readonly profileNames: ReadonlySet<string>;
  /** Names of files that could not be read; references to them are not reported again. */
  readonly broken: ReadonlySet<string>;
}

/** Where a node starts, for records. */
export function refOf(node: SourceNode): SourceRef {
  return node.at.file.refAt(node.at.start);
}

/** Reports a name that is in none of the places it could come from. */
export function checkName(
  context: Pick<CompileContext, 'report' | 'broken'>,
  node: { readonly at: Place; readonly value: string },
  known: Iterable<string>,
  kind: { readonly code: DiagnosticCode; readonly what: string; readonly mostListed?: number; readonly more?: string },
): boolean {
  const names = known instanceof Set ? (known as ReadonlySet<string>) : new Set(known);
  if (names.has(node.value) || context.broken.has(node.value)) return true;
  if (context.report.isFull) return false;
  context.report.error(
    kind.code,
    node.at,
    `there is no ${kind.what} ${quote(node.value)}`,
    nameHint(node.value, names, `known ${kind.what}s`, kind.mostListed) + (kind.more ?? ''),
  );
  return false;
}

/** Checks a tool's name, when the tools are known. Profiles that are exposed as tools count. */
export function checkTool(context: CompileContext, node: { readonly at: Place; readonly value: string }): void {
  const { tools, toolsets } = context.known;
  if (tools === undefined) return;
  for (const prefix of context.known.toolPrefixes ?? []) if (node.value.startsWith(prefix)) return;
  const names = new Set([...tools, ...context.exposedTools.keys()]);
  if (!names.has(node.value) && toolsets?.has(node.value) === true) {
    context.report.error(
      'UNKNOWN_TOOL',
      node.at,
      `${quote(node.value)} is a toolset, not a tool`,
      'name it where toolsets are listed',
    );
    return;
  }
  checkName(context, node, names, { code: 'UNKNOWN_TOOL', what: 'tool', more: prefixHint(context.known) });
}

/** How tools are called whose toolsets are not connected yet: `; names of tools of servers begin with ...`. */
function prefixHint({ toolPrefixes }: CompileContext['known']): string {
  const [...prefixes] = toolPrefixes ?? [];
  if (prefixes.length === 0) return '';
  const listed = prefixes.slice(0, 5).map(quote).join(', ');
  return `; tools that are known once their server is connected have names that begin with ${listed}${prefixes.length > 5 ? ', …' : ''}`;
}

/** Checks the name of a tool in a gate or a filter, where the other forms of its name (without its toolset's, or with that or its kind's) mean it, too. */
export function checkMeantTool(context: CompileContext, node: { readonly at: Place; readonly value: string }): void {
  for (const [toolset, { tools, kind }] of context.known.toolsetTools ?? []) {
    const of = { toolset, ...(kind === undefined ? {} : { toolsetKind: kind }) };
    if (tools?.some((name) => isOtherName(node.value, { name, ...of })) === true) return;
    if (tools === undefined && kind !== undefined && node.value.startsWith(`${kind}_`)) return;
  }
  checkTool(context, node);
}

/** Tells whether a name is a kind of toolset: in gates and filters it means the toolsets of that kind, whatever they are called. */
export function isKind({ known }: CompileContext, name: string): boolean {
  return known.toolsetKinds?.has(name) === true;
}

/** Checks a toolset's name, when the toolsets are known. */
export function checkToolset(context: CompileContext, node: { readonly at: Place; readonly value: string }): void {
  const { tools, toolsets } = context.known;
  if (toolsets === undefined) return;
  if (!toolsets.has(node.value) && tools?.has(node.value) === true) {
    context.report.error(
      'UNKNOWN_TOOLSET',
      node.at,
      `${quote(node.value)} is a tool, not a toolset`,
      'name it where single tools are listed',
    );
    return;
  }
  const names = new Set([...toolsets, ...context.exposedToolsets]);
  checkName(context, node, names, { code: 'UNKNOWN_TOOLSET', what: 'toolset', mostListed: 60 });
}

const suffix = '_ingestor';

/** Checks an ingestor's name and returns the name it is known by; the suffix `_ingestor` may be there or not. */
export function ingestorName(context: CompileContext, node: { readonly at: Place; readonly value: string }): string {
  const { ingestors } = context.known;
  const { value } = node;
  if (ingestors === undefined || ingestors.has(value)) return value;
  const other = value.endsWith(suffix) ? value.slice(0, -suffix.length) : value + suffix;
  if (ingestors.has(other)) return other;
  checkName(context, node, ingestors, { code: 'UNKNOWN_INGESTOR', what: 'ingestor' });
  return value;
}

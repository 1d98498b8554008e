import type { Template } from '../../core/expression/template.ts';
import type { CompiledSegment } from '../../core/profile/profile.ts';
import { quote } from '../wording.ts';
import { childOf, type MapNode } from '../yaml/source-node.ts';
import { ingestorName, refOf, type CompileContext } from './compile-context.ts';
import { checkPath } from './checks/check-path.ts';
import type { TextKeys } from './flow/compile-item.ts';
import { compileCondition, compileText } from './compile-text.ts';
import { mapItems, readNumber, readObject, readText, textItems, textNode } from './read-node.ts';

const defaultOrder = 99;

/** Compiles the segments of the system prompt, sorted by order; `instructions` comes first. */
export function compileSegments(
  context: CompileContext,
  profile: MapNode,
  { texts, keys }: { readonly texts: ReadonlyMap<string, Template>; readonly keys: TextKeys },
): readonly CompiledSegment[] {
  const segments: CompiledSegment[] = [];
  const nodes = mapItems(childOf(profile, 'system_prompt_construction'), 'system_prompt_segments');
  const instructions = textNode(profile, 'instructions');
  if (instructions !== undefined) {
    const taken = nodes.find((node) => readText(node, 'id') === 'instructions');
    if (taken !== undefined)
      context.report.error('DUPLICATE_ID', {
        at: taken.at,
        message: 'the segment id `instructions` is taken by the key `instructions`',
        hint: 'rename the segment',
      });
    const content = compileText(context, instructions);
    segments.push({
      id: 'instructions',
      type: 'static_text',
      order: 0,
      ...(content === undefined ? {} : { content }),
      source: refOf(instructions),
    });
  }
  for (const node of nodes) {
    const segment = compileSegment(context, node, { texts, keys });
    if (segment !== undefined) segments.push(segment);
  }
  return segments.toSorted((a, b) => a.order - b.order);
}

function compileSegment(
  context: CompileContext,
  node: MapNode,
  { texts, keys }: { readonly texts: ReadonlyMap<string, Template>; readonly keys: TextKeys },
): CompiledSegment | undefined {
  const id = readText(node, 'id') ?? '';
  const type = segmentType(context, node, id);
  if (type === undefined) return undefined;
  const condition = compileCondition(context.report, node);
  const [open, close] = textItems(node, 'wrapper_tags').map((tag) => tag.value);
  return {
    id,
    type,
    order: readNumber(node, 'order') ?? defaultOrder,
    ...(condition === undefined ? {} : { condition }),
    ...(open === undefined || close === undefined ? {} : { wrapperTags: [open, close] as const }),
    ...(type === 'static_text' ? textParts(context, node, { id, texts, keys }) : {}),
    ...(type === 'state_value' ? valueParts(context, node, id) : {}),
    source: refOf(node),
  };
}

function segmentType(context: CompileContext, node: MapNode, id: string): CompiledSegment['type'] | undefined {
  const type = readText(node, 'type') ?? '';
  switch (type) {
    case 'static_text':
    case 'state_value':
    case 'tool_description':
    case 'tool_contributed_context':
      return type;
    default:
      if (childOf(node, 'type') !== undefined) return undefined;
      // A segment that contains its text needs no type.
      if ((childOf(node, 'content') ?? childOf(node, 'content_key')) !== undefined) return 'static_text';
      context.report.error('MISSING_KEY', {
        at: node.at,
        message: `\`type\` is missing in segment ${quote(id)}`,
        hint: 'allowed: static_text, state_value, tool_description, tool_contributed_context',
      });
      return undefined;
  }
}

function textParts(
  context: CompileContext,
  node: MapNode,
  { id, texts, keys }: { readonly id: string; readonly texts: ReadonlyMap<string, Template>; readonly keys: TextKeys },
): Pick<CompiledSegment, 'content' | 'contentKey'> {
  const key = textNode(node, 'content_key');
  const own = textNode(node, 'content');
  if (key !== undefined && own !== undefined) {
    context.report.error('NOT_ALLOWED', {
      at: own.at,
      message: `segment ${quote(id)} has both \`content\` and \`content_key\``,
      hint: 'keep one of them',
    });
  }
  if (key !== undefined) {
    keys.check(key);
    const content = texts.get(key.value);
    return { contentKey: key.value, ...(content === undefined ? {} : { content }) };
  }
  if (own === undefined) {
    if (childOf(node, 'content') === undefined)
      context.report.error('MISSING_KEY', { at: node.at, message: `segment ${quote(id)} needs \`content\` or \`content_key\`` });
    return {};
  }
  const content = compileText(context, own);
  return content === undefined ? {} : { content };
}

function valueParts(
  context: CompileContext,
  node: MapNode,
  id: string,
): Pick<CompiledSegment, 'path' | 'ingestorId' | 'ingestorParams'> {
  const path = textNode(node, 'source_state_path');
  if (path === undefined && childOf(node, 'source_state_path') === undefined) {
    context.report.error('MISSING_KEY', {
      at: node.at,
      message: `segment ${quote(id)} needs \`source_state_path\``,
      hint: 'for example team.work_modules',
    });
  }
  if (path !== undefined) checkPath(context.report, path);
  const ingestor = textNode(node, 'ingestor_id');
  const params = readObject(node, 'ingestor_params');
  return {
    ...(path === undefined ? {} : { path: path.value }),
    ...(ingestor === undefined ? {} : { ingestorId: ingestorName(context, ingestor) }),
    ...(params === undefined ? {} : { ingestorParams: params }),
  };
}

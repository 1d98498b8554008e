import { CadreError } from '../../core/error.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { KnownNames, KnownToolsetKind } from '../../core/profile/known-names.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { type BuiltInToolset, builtInToolsets } from './toolset-kinds.ts';

/** Loads the kinds of toolsets that files seem to name, so that their settings can be checked. */
export async function knownToolsetKinds(files: readonly ProfileFile[]): Promise<NonNullable<KnownNames['toolsetKinds']>> {
  // Only files that declare a toolset have settings to check; elsewhere the names of kinds are ordinary words.
  const texts = files.filter(declaresToolset).map(({ text }) => text);
  const known = new Map<string, KnownToolsetKind>();
  for (const [name, { tools, observers = [], load }] of Object.entries(builtInToolsets)) {
    const isNamed = texts.some((text) => text.includes(name));
    const settings: JsonSchema | undefined = isNamed ? (await load()).settings : undefined;
    known.set(name, { tools, observers, ...(settings === undefined ? {} : { settings }) });
  }
  return known;
}

function declaresToolset({ path, text }: ProfileFile): boolean {
  return /^[^\S\n]*["']?type["']?\s*:\s*["']?toolset\b/m.test(text) || path.split('/').includes('toolsets');
}

/** Returns the kind of a toolset. Fails with OPTION_INVALID, naming the available kinds. */
export function kindOf(name: string, kind: string): BuiltInToolset {
  const found = Object.hasOwn(builtInToolsets, kind) ? builtInToolsets[kind] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(builtInToolsets).join(', ') || 'none';
  throw new CadreError('OPTION_INVALID', `toolsets: there is no kind '${kind}' for the toolset '${name}'; kinds: ${known}`);
}

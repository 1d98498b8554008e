import type { FilePart } from '../../core/prompt/message.ts';
import type { AcceptedKind, LlmConfig } from '../../core/model/llm-config.ts';

/**
 * What a model takes besides text, as far as its config and its wire format say.
 *
 * Owns: which files go over which wire, and where. Does not own: putting something in their place (`fit-files.ts`).
 */
export interface FileSupport {
  /** Kinds of files that are sent; `undefined`: whatever there is, since nothing is known of the model. */
  readonly kinds: ReadonlySet<AcceptedKind> | undefined;
  /** Kinds that may be given as a link. */
  readonly links: ReadonlySet<AcceptedKind> | undefined;
  /** Files of a tool's result follow in a message of their own: the wire has only text in results. */
  readonly movesResultFiles: boolean;
  /** Files that the model made go back to it. */
  readonly returnsOwnFiles: boolean;
}

const imagesAndDocuments: readonly AcceptedKind[] = ['image', 'pdf'];
const chat: FileSupport = {
  kinds: new Set<AcceptedKind>([...imagesAndDocuments, 'audio']),
  links: new Set<AcceptedKind>(['image']),
  movesResultFiles: true,
  returnsOwnFiles: false,
};
const documents: FileSupport = {
  kinds: new Set(imagesAndDocuments),
  links: new Set(imagesAndDocuments),
  movesResultFiles: false,
  returnsOwnFiles: false,
};
const google: FileSupport = {
  kinds: new Set<AcceptedKind>([...imagesAndDocuments, 'audio', 'video']),
  links: new Set<AcceptedKind>(),
  movesResultFiles: false,
  returnsOwnFiles: true,
};
const unknown: FileSupport = { kinds: undefined, links: undefined, movesResultFiles: false, returnsOwnFiles: true };

// Pure cache: keyed by a config and the name of a provider.
const supports = new WeakMap<LlmConfig, Map<string, FileSupport>>();

/** What a config's model takes; `provider` is the word of its model object for its wire format. The same object each time. */
export function fileSupportOf(config: LlmConfig, provider: string): FileSupport {
  let ofConfig = supports.get(config);
  if (ofConfig === undefined) {
    ofConfig = new Map();
    supports.set(config, ofConfig);
  }
  const known = ofConfig.get(provider);
  if (known !== undefined) return known;
  const wire = wireOf(provider);
  // All configs that say nothing share one object per wire, and with it what was converted for it.
  const support = config.accepts === undefined ? wire : { ...wire, kinds: new Set(config.accepts) };
  ofConfig.set(provider, support);
  return support;
}

/** No file at all goes to the model. */
export const textOnly: FileSupport = { kinds: new Set(), links: new Set(), movesResultFiles: false, returnsOwnFiles: false };

function wireOf(provider: string): FileSupport {
  if (provider.startsWith('google.')) return google;
  if (provider.endsWith('.chat')) return chat;
  if (provider.endsWith('.responses') || provider.endsWith('.messages')) return documents;
  return unknown;
}

/** The kind of a file, by its media type; a text is no file to a model. */
export function kindOf({ mediaType, data }: FilePart): AcceptedKind {
  const type = mediaType.toLowerCase();
  if (data.type === 'text') return 'text';
  if (/^image(?:$|\/(?:\*|png|jpe?g|gif|webp)$)/.test(type)) return 'image';
  if (type === 'application/pdf') return 'pdf';
  if (type.startsWith('audio/')) return 'audio';
  if (type.startsWith('video/')) return 'video';
  return textTypes.test(type) ? 'text' : 'file';
}

const textTypes = /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|sql|x-sh)\b|\+(?:json|xml)$/;

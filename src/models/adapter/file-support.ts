import type { FilePart } from '../../core/prompt/message.ts';
import type { AcceptedKind, LlmConfig } from '../../core/model/llm-config.ts';

/**
 * Files a model accepts, as far as its config and its wire format determine.
 *
 * Owns: the files each wire format carries, and their places. Does not own: replacing the others (`fit-files.ts`).
 */
export interface FileSupport {
  /** Kinds of files that are sent; `undefined` sends everything, for a model without known limits. */
  readonly kinds: ReadonlySet<AcceptedKind> | undefined;
  /** Kinds that may be sent as a link. */
  readonly links: ReadonlySet<AcceptedKind> | undefined;
  /** Moves files of a tool result into a following message, since the wire format allows only text in results. */
  readonly movesResultFiles: boolean;
  /** Sends files that the model made back to it. */
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

/**
 * Returns the file support of a config's model, always the same object. `provider` is the model object's name for its wire format.
 */
export function fileSupportOf(config: LlmConfig, provider: string): FileSupport {
  let ofConfig = supports.get(config);
  if (ofConfig === undefined) {
    ofConfig = new Map();
    supports.set(config, ofConfig);
  }
  const known = ofConfig.get(provider);
  if (known !== undefined) return known;
  const wire = wireOf(provider);
  // Configs without `accepts` share one object per wire format, and with it the cached conversions.
  const support = config.accepts === undefined ? wire : { ...wire, kinds: new Set(config.accepts) };
  ofConfig.set(provider, support);
  return support;
}

/** Support for no files at all. */
export const textOnly: FileSupport = { kinds: new Set(), links: new Set(), movesResultFiles: false, returnsOwnFiles: false };

function wireOf(provider: string): FileSupport {
  if (provider.startsWith('google.')) return google;
  if (provider.endsWith('.chat')) return chat;
  if (provider.endsWith('.responses') || provider.endsWith('.messages')) return documents;
  return unknown;
}

/** Returns the kind of a file by its media type; text counts as `text`, not as a file. */
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

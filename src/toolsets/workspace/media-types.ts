/** Files that models read as they are, by ending. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

/** The media type of an image or PDF; undefined for everything else. */
export function mediaTypeOf(path: string): string | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined;
}

/** Largest file that is read, in bytes. */
export const maxFileBytes = 256 * 1024;

/** Most bytes of one load, all files together. */
export const maxTotalBytes = 5 * 1024 * 1024;

/** Most files of one load. */
export const maxFiles = 1_000;

/** A size for messages. */
export function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

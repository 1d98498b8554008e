/** Maximum size of a file, in bytes. */
export const maxFileBytes = 256 * 1024;

/** Maximum size of all files of one load together, in bytes. */
export const maxTotalBytes = 5 * 1024 * 1024;

/** Maximum number of files in one load. */
export const maxFiles = 1_000;

/** Formats a size for messages. */
export function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

import path from 'node:path';
import { writeTempFile } from '../../files/temp-folder.ts';

/** An architecture as seccomp names it, and its first and last system call for the kernel's keyrings. */
type KeyringCalls = readonly [arch: number, first: number, last: number];

/** By the architectures of Node: the native calls, and those of programs of 32 bits. */
const callsOf: Readonly<Partial<Record<string, readonly [KeyringCalls, KeyringCalls]>>> = {
  x64: [
    [0xc000003e, 248, 250],
    [0x40000003, 286, 288],
  ],
  arm64: [
    [0xc00000b7, 217, 219],
    [0x40000028, 309, 311],
  ],
};

const fileName = 'keyring-filter';
const descriptor = 9;

/** Writes the filter into a folder that no command can write; does nothing on other architectures than x64 and arm64. */
export function writeKeyringFilter(folder: string): void {
  const calls = callsOf[process.arch];
  if (calls !== undefined) writeTempFile(path.join(folder, fileName), filterOf(calls));
}

/**
 * Returns the command line of a sandbox, which begins with this `bwrap`, so that its command has no keyrings: they belong to the session
 * of the user, who may keep tickets and keys there, and no mount hides them.
 */
export function withoutKeyrings(line: string, bwrap: string, folder: string): string {
  if (callsOf[process.arch] === undefined) return line;
  const file = path.join(folder, fileName).replaceAll("'", `'\\''`);
  return `exec ${descriptor}<'${file}' && exec ${bwrap} --seccomp ${descriptor}${line.slice(bwrap.length)}`;
}

/** Operations of classic BPF: load a word, mask it, jump if equal, if at least, if greater, return. */
const [load, and, isEqual, isAtLeast, isGreater, end] = [0x20, 0x54, 0x15, 0x35, 0x25, 0x06];
const numberAt = 0;
const archAt = 4;
const allow = 0x7fff0000;
/** Fails the call with EPERM. */
const refuse = 0x00050001;
/** Bit of calls of x32, which have the numbers of x64. */
const withoutX32 = 0xbfffffff;

/** Operation, operations to skip when it is true and when it is false, and its value. */
type Operation = readonly [operation: number, isTrue: number, isFalse: number, value: number];

function filterOf([native, short]: readonly [KeyringCalls, KeyringCalls]): Buffer {
  const blocks = [native, short].flatMap(([arch, first, last]): readonly Operation[] => [
    [load, 0, 0, archAt],
    [isEqual, 0, 6, arch],
    [load, 0, 0, numberAt],
    [and, 0, 0, withoutX32],
    [isAtLeast, 0, 2, first],
    [isGreater, 1, 0, last],
    [end, 0, 0, refuse],
    [end, 0, 0, allow],
  ]);
  const program: readonly Operation[] = [...blocks, [end, 0, 0, allow]];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [operation, isTrue, isFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(operation, index * 8);
    bytes.writeUInt8(isTrue, index * 8 + 2);
    bytes.writeUInt8(isFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

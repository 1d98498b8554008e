import type { CapturedOutput } from './captured-output.ts';
import type { ProcessEnd } from './running-process.ts';

/** Maximum number of characters of one stream in a result. */
const streamChars = 12_000;

/** Describes both streams of a process, each under a line with its size. */
export function describeStreams(stdout: CapturedOutput, stderr: CapturedOutput): readonly string[] {
  const lines: string[] = [];
  for (const [name, output] of [['stdout', stdout] as const, ['stderr', stderr] as const])
    if (output.bytes > 0) lines.push(`--- ${name} (${output.bytes} bytes)`, output.view(streamChars));
  return lines.length === 0 ? ['(no output)'] : lines;
}

/** Describes how a process ended, and after what time. */
export function describeEnd(end: ProcessEnd): string {
  return `${words(end)} after ${(end.ms / 1000).toFixed(2)} s`;
}

function words(end: ProcessEnd): string {
  switch (end.cause) {
    case 'exit':
      return end.exitCode === undefined ? `ended by ${end.signal ?? 'a signal'}` : `exit code ${end.exitCode}`;
    case 'timeout':
      return 'stopped with all its processes, because it took longer than its timeout,';
    case 'stopped':
      return 'stopped';
    case 'output':
      return 'stopped, because it wrote too much (send long output to a file, or through head, tail or grep),';
    case 'processes':
      return 'stopped, because it had too many processes,';
    case 'memory':
      return 'stopped, because its processes took more memory together than max_total_memory_mb allows,';
    case 'disk':
      return 'stopped, because the programs of this run have written more than max_disk_mb allows (delete files that are not needed),';
    case 'planted':
      return 'stopped, because it went on writing files that make other programs run something,';
  }
}

/** A stretch of what a turn's model saw or said. */
export interface WhyPlace {
  readonly where: 'prompt' | 'reply' | 'reasoning' | 'tool_call';
  /** For `tool_call`: index of the call in the reply, from 0. */
  readonly call?: number;
  /** Range in that text: start (inclusive), end (exclusive). */
  readonly start: number;
  readonly end: number;
}

const form = /^(?:(prompt|reply|reasoning|tool_call)(?:\[(\d{1,6})\])?:)?(\d{1,12})(?:-(\d{1,12}))?$/u;

/** Parses a place such as `prompt:120-180`, `reply:7`, `tool_call[1]:0-20`, or `120-180` in the prompt; undefined when malformed. */
export function parsePlace(text: string): WhyPlace | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const start = Number(found[3]);
  return {
    where: (found[1] ?? 'prompt') as WhyPlace['where'],
    ...(found[2] === undefined ? {} : { call: Number(found[2]) }),
    start,
    end: found[4] === undefined ? start + 1 : Number(found[4]),
  };
}

/** Writes a place in the form `parsePlace` reads. */
export function writePlace({ where, call, start, end }: WhyPlace): string {
  return `${where}${call === undefined ? '' : `[${call}]`}:${start}-${end}`;
}

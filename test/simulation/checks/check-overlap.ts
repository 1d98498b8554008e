import type { CadreEvent } from '../../../src/core/events/event.ts';

/** Returns forbidden overlaps between calls of one agent: two calls of `serial`, or any call beside `alone`. */
export function overlaps(events: readonly CadreEvent[]): readonly string[] {
  const names = new Map<string, string>();
  const running = new Map<string, Set<string>>();
  const found: string[] = [];
  for (const event of events) {
    if (event.type === 'tool.request') names.set(event.callId, event.name);
    // What ran when its process died does not run any more.
    else if (event.type === 'run.resume') running.clear();
    else if (event.type === 'tool.end') running.get(event.agentId)?.delete(event.callId);
    else if (event.type === 'tool.start') {
      const ofAgent = running.get(event.agentId) ?? new Set();
      running.set(event.agentId, ofAgent);
      const name = names.get(event.callId);
      const others = [...ofAgent].filter((callId) => callId !== event.callId).map((callId) => names.get(callId));
      const mustWait = name === 'serial' ? others.includes('serial') : name === 'alone' && others.length > 0;
      if (mustWait || others.includes('alone')) found.push(`at ${event.seq} '${String(name)}' starts beside ${others.join(', ')}`);
      ofAgent.add(event.callId);
    }
  }
  return found;
}

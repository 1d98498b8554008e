import type { RawToolCall } from '../model/model.ts';

// Gateways put signatures of several thousand characters into ids; what is longer is no id.
const mostChars = 16_384;
const printable = /^[\x21-\x7e]+$/;
const ofEngine = /^c[0-9a-z]{8}$/;
const numbered = /^(.*\D):\d+$/;

/** The ids of a history's calls. */
export type UsedIds = Pick<ReadonlySet<string>, 'has' | 'size'>;

/**
 * Chooses the id under which a call and its result stand in history: the provider's own, where it gave one and no call of the history
 * has it; undefined where the engine's id stands. A repeated id that counts calls (`functions.search:0`) keeps its form, with the next
 * free number: models that were trained on the form call no more once they read another one. `used` holds the ids of the history.
 */
export function wireIdOf(call: Pick<RawToolCall, 'providerCallId' | 'isIdOurs'>, used: UsedIds): string | undefined {
  const { providerCallId: id } = call;
  if (call.isIdOurs === true || id.length > mostChars || !printable.test(id) || ofEngine.test(id)) return undefined;
  if (!used.has(id)) return id;
  const [, form] = numbered.exec(id) ?? [];
  if (form === undefined) return undefined;
  for (let number = used.size; ; number += 1) {
    const free = `${form}:${number}`;
    if (!used.has(free)) return free;
  }
}

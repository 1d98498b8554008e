/** Makes one measurement and prints its figures. Arguments: the probe, the built checkout or `floor`, and an empty folder. */
import { crowdProbes } from './crowd-probes.ts';
import { engineOf } from './probe.ts';
import { measureStart } from './start-probe.ts';
import { turnProbes } from './turn-probes.ts';

const [name = '', subject = '', folder = ''] = process.argv.slice(2);
console.log(JSON.stringify(await measure()));

async function measure(): Promise<unknown> {
  if (name === 'start') return measureStart(subject);
  const probe = { ...turnProbes, ...crowdProbes }[name];
  if (probe === undefined) throw new Error(`there is no probe '${name}'`);
  if (subject === 'floor') return (await probe.floor?.(folder)) ?? {};
  return await probe.engine(await engineOf(subject), folder);
}

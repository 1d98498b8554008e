import { defineIngestor, type Ingestor } from '../../../src/index.ts';

/** The ingestors of the simulated team: one that never manages. */
export function simIngestors(): readonly Ingestor[] {
  return [
    defineIngestor({
      name: 'bad',
      ingest: () => {
        throw new Error('never');
      },
    }),
  ];
}

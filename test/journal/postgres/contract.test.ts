import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { eraseContract } from '../../contracts/erase-contract.ts';
import { journalContract } from '../../contracts/journal-contract.ts';
import { journalFileContract } from '../../contracts/journal-file-contract.ts';
import { sharedServer } from '../../support/postgres/postgres-server.ts';

const server = await sharedServer();

for (const [name, options] of [
  ['durability full', {}],
  ['durability normal, sealed with a key', { durability: 'normal', integrity: { key: 'a key of more than sixteen bytes' } }],
] as const) {
  const onServer = () => {
    const url = server.url(server.newSchema());
    return { open: () => createPostgresJournal({ url, ...options }), remove: () => undefined };
  };
  journalContract(`postgres, ${name}`, onServer);
  eraseContract(`postgres, ${name}`, onServer);
}

journalFileContract(
  'postgres',
  (url, options) => createPostgresJournal({ url, ...options }),
  () => ({ file: server.url(server.newSchema()), remove: () => undefined }),
);

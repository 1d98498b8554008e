import { beforeAll, describe, expect, it } from 'vitest';
import { createContentHash } from '../../../src/engine/recovery/content-hash.ts';
import { readBundle } from '../../../src/inspect/bundle/read-bundle.ts';
import { buildPage } from '../../page/browser.ts';
import { ask, servedTeam } from './served-team.ts';

const hash = createContentHash();
const key = `sk-${'Ab1'.repeat(10)}`;

describe('a run as one file, over HTTP', () => {
  beforeAll(buildPage, 120_000);

  it('is an attachment: a bundle, or a page with the run inside; secrets are replaced unless the reader says otherwise', async () => {
    const { served, launch, get } = await servedTeam({ replies: [{ text: `Use ${key}.` }] });
    const run = await launch('What do I use? </script>');
    await run.settled();
    const at = (end: string): Promise<Awaited<ReturnType<typeof ask>>> =>
      ask(served.port, { path: `/api/runs/${run.id}/export.${end}` });
    const json = await at('json');
    expect(json).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="${run.id}.json"`,
        'x-content-type-options': 'nosniff',
      },
    });
    expect(readBundle(json.body, { hash, source: 'answer' })).toMatchObject({ redacted: true, run: { output: 'Use [secret].' } });
    expect((await at('json?redact=false')).body).toContain(key);
    const page = await at('html');
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-disposition': `attachment; filename="${run.id}.html"` },
    });
    expect(page.body.match(/<script/g)).toHaveLength(2);
    expect(page.body).not.toContain(key);
    expect(await get('/api/runs/none/export.json', 404)).toMatchObject({ error: { code: 'RUN_UNKNOWN' } });
    expect(await get('/api/runs/none/export.html', 404)).toMatchObject({ error: { code: 'RUN_UNKNOWN' } });
  });
});

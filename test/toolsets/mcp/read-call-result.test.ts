import { expect, it } from 'vitest';
import { readCallResult } from '../../../src/toolsets/mcp/read-call-result.ts';

const read = (item: object) => readCallResult({ content: [item as never] });
const png = 'iVBORw0KGgo=';

it.each(['http://evil.example/x.png', 'data:image/png;base64,iVBORw0KGgo=', 'not base64!', 'abcde', '', 7])(
  'bytes of a server that are not base64 are left out, and the model is told: %j',
  (data) => {
    for (const type of ['image', 'audio'])
      expect(read({ type, data, mimeType: 'image/png' })).toMatchObject({ content: `[${type} left out: its data is not base64]` });
    const content = [
      { type: 'text', text: '[resource a://b]\n' },
      { type: 'text', text: '[resource left out: its blob is not base64]' },
    ];
    expect(read({ type: 'resource', resource: { uri: 'a://b', blob: data } })).toMatchObject({ content });
  },
);

it('base64 is passed on, however long, and content of other kinds than those of the protocol is shown as JSON', () => {
  const long = 'A'.repeat(8_000_000);
  for (const data of [png, long])
    expect(read({ type: 'image', data, mimeType: 'image/png' })).toMatchObject({
      content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data } }],
    });
  // Some encoders break lines.
  expect(read({ type: 'image', data: 'iVBORw0K\r\nGgo=\n', mimeType: 'image/png' })).toMatchObject({
    content: [{ type: 'file', data: { type: 'data', data: png } }],
  });
  const url = 'http://evil.example/x.png';
  expect(read({ type: 'image-url', url })).toMatchObject({ content: expect.stringContaining('"image-url"') });
});

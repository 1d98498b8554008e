import { describe, expect, it } from 'vitest';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const base64 = png.toString('base64');
const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: base64 } };
const text = { type: 'text', text: 'What is on it?' };
const link = { type: 'file', mediaType: 'image/jpeg', data: { type: 'url' } };

/** Parts as other software writes them, and what the model gets. */
const understood: readonly (readonly [string, unknown, object])[] = [
  ['ours', image, image],
  ['AI SDK: a file of base64', { type: 'file', mediaType: 'image/png', data: base64 }, image],
  ['AI SDK 4: a file of base64', { type: 'file', mimeType: 'image/png', data: base64 }, image],
  ['AI SDK: a file of bytes', { type: 'file', mediaType: 'image/png', data: new Uint8Array(png) }, image],
  ['AI SDK: a file of an ArrayBuffer', { type: 'file', mediaType: 'image/png', data: Uint8Array.from(png).buffer }, image],
  ['AI SDK: a file of a data URL', { type: 'file', mediaType: 'image/png', data: `data:image/png;base64,${base64}` }, image],
  ['AI SDK: a file of an address', { type: 'file', mediaType: 'image/jpeg', data: new URL('https://example.com/a.jpg') }, link],
  ['AI SDK: a file of an address as text', { type: 'file', data: 'https://example.com/a.jpg' }, link],
  ['AI SDK: an image of base64', { type: 'image', image: base64 }, image],
  ['AI SDK: an image of a Buffer', { type: 'image', image: png }, image],
  ['AI SDK: an image of a data URL', { type: 'image', image: `data:;base64,${base64}`, mediaType: 'image/*' }, image],
  ['AI SDK: an image at an address', { type: 'image', image: new URL('https://example.com/a.jpg') }, link],
  ['AI SDK: a part of a message of a UI', { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${base64}` }, image],
  ['AI SDK 7: tagged bytes', { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array(png) } }, image],
  [
    'AI SDK 7: a tagged address',
    { type: 'file', mediaType: 'image/jpeg', data: { type: 'url', url: new URL('https://example.com/a.jpg') } },
    link,
  ],
  ['OpenAI: an image', { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }, image],
  ['OpenAI: an image of the responses API', { type: 'input_image', image_url: 'https://example.com/a.jpg' }, link],
  [
    'a Buffer that went through JSON',
    { type: 'file', mediaType: 'image/png', data: JSON.parse(JSON.stringify(png)) as unknown },
    image,
  ],
  [
    'a text as a data URL',
    { type: 'file', url: 'data:text/plain,a%20note', filename: 'n.txt' },
    { type: 'file', mediaType: 'text/plain', filename: 'n.txt', data: { type: 'text', text: 'a note' } },
  ],
];

/** What cannot be meant, and words of the error. */
const refused: readonly (readonly [string, unknown, RegExp])[] = [
  ['no parts', [], /empty list/],
  ['a blank text', [{ type: 'text', text: ' \n' }], /is blank/],
  ['a blank prompt', { prompt: '  ' }, /prompt is blank/],
  ['nothing', {}, /without anything/],
  ['blanks', ' \n ', /is blank/],
  ['a text as a part', ['hello'], /\[0\] is no content part/],
  ['an unknown part', [text, { type: 'video', data: base64 }], /\[1\] is no content part/],
  ['a text part without text', [{ type: 'text' }], /without a text/],
  ['a file without data', [{ type: 'file', mediaType: 'image/png' }], /without data/],
  ['a file that is no base64', [{ type: 'file', mediaType: 'image/png', data: 'no base64!' }], /no base64/],
  ['an empty file', [{ type: 'image', image: new Uint8Array() }], /empty file/],
  ['another scheme', [{ type: 'image', image: new URL('file:///etc/passwd') }], /no base64|no http/],
  [
    'a file of another provider',
    [{ type: 'file', mediaType: 'image/png', data: { type: 'reference', reference: { openai: 'f1' } } }],
    /without data/,
  ],
  ['parts within a payload', { prompt: 'x', parts: [{ type: 'nope' }] }, /parts\[0\] is no content part/],
  ['messages', [{ role: 'user', content: 'hi' }], /\[0\] is no content part/],
  ['a message with wrong parts', { role: 'user', content: [{ type: 'nope' }] }, /content\[0\] is no content part/],
];

async function team() {
  return await testEngine({ profile: waitsForUser, replies: [{ text: 'seen' }, { text: 'seen again' }] });
}

describe('F10: what a person hands over as content parts', () => {
  it.each(understood)('%s is understood by launch and send', async (_what, part, expected) => {
    const { engine, model } = await team();
    const run = await engine.launch({ profile: 'Root', input: [text, part] });
    await run.settled();
    await run.send([text, part as object]);
    await run.settled();
    expect(run.notes).toEqual([]);
    for (const [index, { prompt }] of model.requests.entries())
      expect([index, prompt.at(-1)]).toMatchObject([index, { role: 'user', content: [text, expected] }]);
    expect(model.requests).toHaveLength(2);
  });

  it('a message of the AI SDK is understood as what it says', async () => {
    const { engine, model } = await team();
    const run = await engine.launch({
      profile: 'Root',
      input: { role: 'user', content: [text, { type: 'image', image: base64 }] },
    });
    await run.settled();
    await run.send({ role: 'user', content: 'And now?' });
    await run.settled();
    expect(model.requests[0]?.prompt.at(-1)).toMatchObject({ role: 'user', content: [text, image] });
    expect(model.requests[1]?.prompt.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'And now?' }] });
  });

  it.each(refused)('%s is refused before a run exists, and before anything is posted', async (_what, input, words) => {
    const { engine, model } = await team();
    const error = { code: 'OPTION_INVALID', message: expect.stringMatching(words) as string };
    await expect(engine.launch({ profile: 'Root', input })).rejects.toMatchObject(error);
    expect(await engine.runs()).toEqual([]);
    const run = await engine.launch({ profile: 'Root', input: 'Hello.' });
    await run.settled();
    const before = run.state.seq;
    await expect(run.send({ source: 'USER_PROMPT', payload: input as never })).rejects.toMatchObject(error);
    expect(run.state.seq).toBe(before);
    expect(model.requests).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';

import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { callIdRuleOf } from '../../src/models/adapter/call-ids.ts';
import { fileSupportOf } from '../../src/models/adapter/file-support.ts';
import { promptTarget, toPrompt as toPromptFor } from '../../src/models/adapter/to-prompt.ts';
import { config } from './model-fixtures.ts';

const toPrompt = (messages: readonly PromptMessage[], version: 'v2' | 'v3' | 'v4') =>
  toPromptFor(
    messages,
    promptTarget(version, fileSupportOf(config(), 'anything'), callIdRuleOf(config(), { provider: 'anything', modelId: 'm' })),
  );

const user = (text: string): PromptMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): PromptMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const picture: PromptMessage = {
  role: 'user',
  content: [{ type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'https://example.com/a.png' } }],
};

describe('the prompt a model gets', () => {
  it.each(['v2', 'v3', 'v4'] as const)('%s: is the very array of the request when it holds no file', (version) => {
    const messages = [user('a'), assistant('b'), user('c')];
    expect(toPrompt(messages, version)).toBe(messages);
  });

  it('is converted once a file comes into a history that was looked through before', () => {
    const history = [user('a'), assistant('b')];
    for (let turn = 0; turn < 5; turn += 1) {
      expect(toPrompt([{ role: 'system', content: `turn ${turn}` }, ...history, user('for now')], 'v4')).toHaveLength(
        history.length + 2,
      );
      history.push(user(`q${turn}`), assistant(`a${turn}`));
    }
    for (const at of [history.length, history.length - 1]) {
      const prompt = toPrompt(history.toSpliced(at, 0, picture), 'v4');
      expect(prompt[at]).toMatchObject({ content: [{ data: { type: 'url', url: new URL('https://example.com/a.png') } }] });
    }
  });

  it('is converted when the file is for one turn only', () => {
    const history = [user('a'), assistant('b')];
    expect(toPrompt([...history, picture], 'v4')[2]).not.toBe(picture);
    expect(toPrompt(history, 'v4')).toBe(history);
  });

  it('keeps messages without files as they are, and converts each message once', () => {
    const messages = [user('a'), picture];
    const [first, second] = [toPrompt(messages, 'v3'), toPrompt(messages, 'v3')];
    expect(first[0]).toBe(messages[0]);
    expect(first[1]).toBe(second[1]);
  });

  it.each([
    ['v2', 'aGk='],
    ['v3', 'aGk='],
    ['v4', { type: 'data', data: 'aGk=' }],
  ] as const)('%s: gives bytes the form of the spec', (version, data) => {
    const message: PromptMessage = {
      role: 'user',
      content: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'aGk=' } }],
    };
    expect(toPrompt([message], version)).toMatchObject([
      { content: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', data }] },
    ]);
  });

  it.each(['v2', 'v3'] as const)('%s: turns a text document into text', (version) => {
    const message: PromptMessage = {
      role: 'user',
      content: [{ type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'doc' } }],
    };
    expect(toPrompt([message], version)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'doc' }] }]);
  });

  it.each([
    [
      'v2',
      [
        { type: 'text', text: 'see' },
        { type: 'media', data: 'aGk=', mediaType: 'image/png' },
        { type: 'text', text: '[application/pdf] https://example.com/b' },
      ],
    ],
    [
      'v3',
      [
        { type: 'text', text: 'see' },
        { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
        { type: 'file-url', url: 'https://example.com/b' },
      ],
    ],
    [
      'v4',
      [
        { type: 'text', text: 'see' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
        {
          type: 'file',
          mediaType: 'application/pdf',
          data: { type: 'url', url: new URL('https://example.com/b'), originalUrl: 'https://example.com/b' },
        },
      ],
    ],
  ] as const)('%s: gives the files of a tool result the form of the spec', (version, value) => {
    const message: PromptMessage = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 't',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'see' },
              { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
              { type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: 'https://example.com/b' } },
            ],
          },
        },
      ],
    };
    expect(toPrompt([message], version)).toEqual([
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'content', value } }] },
    ]);
  });
});

import { registerHooks } from 'node:module';
import { afterAll, expect, it } from 'vitest';
import { waitsForUser } from '../../support/test-engine.ts';
import { servedTeam } from '../http/served-team.ts';

/** The parts of Preact and linkedom used here. Their own types would add those of browsers to every file. */
interface Renderer {
  readonly h: (type: unknown, props: object, ...children: readonly unknown[]) => unknown;
  readonly render: (node: unknown, into: object) => void;
}
interface Dom {
  readonly parseHTML: (html: string) => {
    readonly document: { querySelector(name: string): { readonly textContent: string } | null };
  };
}

// React has no DOM renderer here: Preact, which has the same hooks, renders the published hook.
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'react' && context.parentURL?.includes('/@ai-sdk/react/') === true ? 'preact/compat' : specifier, context),
});
afterAll(() => hooks.deregister());

it('useChat works as it is: with nothing but the address of the chat', async () => {
  const { served } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'Good morning to you.', delayMs: 5 }] });
  const [{ h, render }, { parseHTML }, { useChat }, { DefaultChatTransport }] = await Promise.all([
    load<Renderer>('preact'),
    load<Dom>('linkedom'),
    load<typeof import('@ai-sdk/react')>(`${import.meta.resolve('@ai-sdk/react')}?with=preact`),
    import('ai'),
  ]);
  const { document } = parseHTML('<main></main>');
  const shown: string[] = [];
  const transport = new DefaultChatTransport({ api: `${served.url}/api/chat` });
  let send: ((text: string) => Promise<void>) | undefined;
  function Talk() {
    const { messages, status, sendMessage } = useChat({ transport });
    send = (text) => sendMessage({ text });
    const lines = messages.map(({ id, role, parts }) =>
      h('p', { key: id }, `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`),
    );
    shown.push(status);
    return h('section', {}, ...lines);
  }
  const main = document.querySelector('main');
  if (main === null) throw new Error('no main');
  const before = Object.getOwnPropertyDescriptor(globalThis, 'document');
  Object.defineProperty(globalThis, 'document', { value: document, configurable: true });
  try {
    render(h(Talk, {}), main);
    await send?.('Good morning!');
    await expect.poll(() => main.textContent).toBe('user: Good morning!assistant: Good morning to you.');
    expect(shown).toEqual(expect.arrayContaining(['ready', 'streaming']));
    render(null, main);
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'document');
    else Object.defineProperty(globalThis, 'document', before);
  }
});

async function load<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}

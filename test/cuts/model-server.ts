/*
 * A model server as a process: `node model-server.ts PORT`. Speaks OpenAI's chat protocol; the question names a job, and the answers follow from
 * how many there were: pay, record, pay, a last word. Prints `ready`.
 */
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const tools = ['pay', 'srv_record', 'pay'] as const;

/** Deltas of the next answer. */
function deltasOf({ messages }: Body): readonly object[] {
  const job = Number(/job (\d+)/.exec(JSON.stringify(messages.find(({ role }) => role === 'user')))?.[1] ?? -1);
  const said = messages.filter(({ role }) => role === 'assistant').length;
  const name = tools[said];
  if (name === undefined) return [{ content: 'All ' }, { content: 'is ' }, { content: 'done.' }];
  const args = JSON.stringify({ job, id: said });
  const call = (fields: object): object => ({ tool_calls: [{ index: 0, ...fields }] });
  return [
    { content: 'Now ' },
    call({ id: `call_${job}_${said}`, type: 'function', function: { name, arguments: '' } }),
    call({ function: { arguments: args.slice(0, 5) } }),
    call({ function: { arguments: args.slice(5) } }),
  ];
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (data: Buffer) => (text += data.toString()));
  request.on('end', () => {
    void (async () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const deltas = deltasOf(JSON.parse(text) as Body);
      for (const delta of deltas) {
        response.write(`data: ${JSON.stringify({ id: 'r', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
        await pause(40);
      }
      const finish = JSON.stringify(deltas).includes('tool_calls') ? 'tool_calls' : 'stop';
      response.write(`data: ${JSON.stringify({ id: 'r', choices: [{ index: 0, delta: {}, finish_reason: finish }] })}\n\n`);
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
      response.end(`data: ${JSON.stringify({ id: 'r', choices: [], usage })}\n\ndata: [DONE]\n\n`);
    })();
  });
  response.on('error', () => undefined);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('disconnect', () => process.exit(1));

/** The wire formats the sweep speaks: OpenAI's chat completions and responses. */
export type Protocol = 'chat' | 'responses';

/** A call as a recording has it: the argument text in the pieces it streams in. */
interface RecordedCall {
  readonly id: string;
  readonly name: string;
  readonly pieces: readonly string[];
}

/** One reply as it went over the wire. */
export interface Recording {
  readonly name: string;
  readonly protocol: Protocol;
  readonly body: string;
  /** How the reply ended; calls of one that hit its length never run. */
  readonly finish: 'stop' | 'tool_calls' | 'length';
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
}

interface Said {
  readonly name: string;
  readonly protocol: Protocol;
  readonly reasoning?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly RecordedCall[];
  readonly finish?: Recording['finish'];
}

const pay: RecordedCall = { id: 'call_a', name: 'pay', pieces: ['{"amount": 1', '0, "to": "Zoë"}'] };

const longText = 'All work and no play makes 10 dull boys. '.repeat(12);

/** What the sweep cuts and mutates. */
export const recordings: readonly Recording[] = [
  record({ name: 'text', protocol: 'chat', text: ['Here ', 'it is', '.'] }),
  record({ name: 'one call', protocol: 'chat', text: ['I pay.'], calls: [pay] }),
  record({
    name: 'two parallel calls, pieces interleaved',
    protocol: 'chat',
    calls: [pay, { id: 'call_b', name: 'note', pieces: ['{"lines": [1', ', 2], "ok": true', '}'] }],
  }),
  record({ name: 'reasoning before a call', protocol: 'chat', reasoning: ['They owe ', '10.'], calls: [pay] }),
  record({
    name: 'long arguments',
    protocol: 'chat',
    calls: [{ id: 'call_l', name: 'note', pieces: ['{"text": "', ...(longText.match(/.{1,96}/g) ?? []), '", "n": 12', '345}'] }],
  }),
  record({
    name: 'unicode and escapes',
    protocol: 'chat',
    text: ['Zoë 💶 '],
    calls: [{ id: 'call_u', name: 'note', pieces: ['{"text": "a\\"}', ', {\\\\', '\\u00e9 💶 é", "to": "', '\\ud83d\\ude00"}'] }],
  }),
  record({ name: 'a call without arguments', protocol: 'chat', calls: [{ id: 'call_n', name: 'look', pieces: ['{}'] }] }),
  record({
    name: 'length inside the arguments',
    protocol: 'chat',
    finish: 'length',
    calls: [{ id: 'call_a', name: 'pay', pieces: ['{"amount": 1'] }],
  }),
  record({
    name: 'length after a call that looks complete',
    protocol: 'chat',
    finish: 'length',
    calls: [{ id: 'call_a', name: 'pay', pieces: ['{"amount": 1}'] }],
  }),
  record({ name: 'text', protocol: 'responses', text: ['Here ', 'it is.'] }),
  record({ name: 'text and two calls', protocol: 'responses', text: ['I pay.'], calls: [pay, { ...pay, id: 'call_b' }] }),
  record({
    name: 'length inside the arguments',
    protocol: 'responses',
    finish: 'length',
    calls: [{ ...pay, pieces: ['{"amount": 1'] }],
  }),
];

/** A short reply in words, with which every conversation of the sweep can end. */
export const closingReply: Readonly<Record<Protocol, string>> = {
  chat: record({ name: 'done', protocol: 'chat', text: ['done'] }).body,
  responses: record({ name: 'done', protocol: 'responses', text: ['done'] }).body,
};

function record(said: Said): Recording {
  const calls = said.calls ?? [];
  const finish = said.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  const text = said.text ?? [];
  const events = said.protocol === 'chat' ? chatEvents(said, finish) : responsesEvents(said, finish);
  return {
    name: `${said.protocol}: ${said.name}`,
    protocol: said.protocol,
    body: events.join(''),
    finish,
    text: text.join(''),
    calls: calls.map(({ name, pieces }) => ({ name, args: pieces.join('') })),
  };
}

function chatEvents(said: Said, finish: string): readonly string[] {
  const chunk = (delta: unknown, finishReason: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'r1', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;
  const calls = said.calls ?? [];
  const starts = calls.map(({ id, name }, index) =>
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
  );
  const longest = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
  const pieces = Array.from({ length: longest }, (_, round) =>
    calls.flatMap((call, index) => {
      const piece = call.pieces[round];
      return piece === undefined ? [] : [chunk({ tool_calls: [{ index, function: { arguments: piece } }] })];
    }),
  ).flat();
  const usage = { id: 'r1', choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } };
  return [
    ...(said.reasoning ?? []).map((piece) => chunk({ reasoning_content: piece })),
    ...(said.text ?? []).map((piece) => chunk({ content: piece })),
    ...starts,
    ...pieces,
    chunk({}, finish),
    `data: ${JSON.stringify(usage)}\n\n`,
    'data: [DONE]\n\n',
  ];
}

function responsesEvents(said: Said, finish: string): readonly string[] {
  const event = (type: string, fields: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const text = said.text ?? [];
  const message = { type: 'message', id: 'msg_1' };
  const spoken = [
    event('response.output_item.added', { output_index: 0, item: message }),
    ...text.map((delta) => event('response.output_text.delta', { item_id: 'msg_1', delta })),
    event('response.output_item.done', { output_index: 0, item: message }),
  ];
  const made = (said.calls ?? []).flatMap(({ id, name, pieces }, index) => {
    const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '' };
    const place = { output_index: index + 1 };
    const whole = { ...item, arguments: pieces.join(''), status: 'completed' };
    return [
      event('response.output_item.added', { ...place, item }),
      ...pieces.map((delta) => event('response.function_call_arguments.delta', { ...place, item_id: item.id, delta })),
      // A reply that hits its length inside the arguments never says that the call is done.
      ...(finish === 'length' ? [] : [event('response.output_item.done', { ...place, item: whole })]),
    ];
  });
  const usage = { input_tokens: 11, output_tokens: 7 };
  const ending =
    finish === 'length'
      ? event('response.incomplete', { response: { incomplete_details: { reason: 'max_output_tokens' }, usage } })
      : event('response.completed', { response: { usage } });
  return [
    event('response.created', { response: { id: 'resp_1', created_at: 1, model: 'served' } }),
    ...(text.length > 0 ? spoken : []),
    ...made,
    ending,
  ];
}

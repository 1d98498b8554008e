/** Mechanisms that simulated runs must reach, besides faults: every long enough simulation reaches each, or the suite fails. */
export const mechanisms = {
  'more than 14 turns': 'a run goes on for longer than most',
  'messages released': 'what no prompt can want any more left the memory of a long run',
  'window moved': 'older messages were left out of prompts',
  compaction: 'older messages were replaced by a summary',
  'compaction failed': 'there was no summary, and the run went on or ended as its profile says',
  'it had happened': 'it had, and its result was found',
  'it had not happened': 'it had not, and the call was run again',
  'nobody could tell': 'the tool that finds out could not',
  'person asked whether it happened': 'a person had to say whether an interrupted call happened',
  'unknown outcome failed': 'an interrupted call of unknown outcome ended its agent',
  'unknown outcome told': 'a model was told that a call may or may not have happened',
  'approval expired': 'nobody approved a call in time, and it was denied',
  'expiry allowed': 'nobody decided in time, and the call ran as its gate says',
  'question expired': 'nobody answered a question in time',
  'expired while nobody was there': 'what expired without a process was settled as the run was taken up',
  'denied at its start': 'a gate that let a call be requested denied it by the time its turn came',
  'asked again': 'what a person had agreed to was no longer the same when the call was to start',
  'always allowed': 'a person allowed all calls of a tool',
  'standing approval': 'a call ran since all of its kind were allowed',
  'approved with other arguments': 'a person changed what a call runs with',
  'cost limit': 'an agent got its last turn, since its run had cost what it may',
  'cost warned of': 'an agent was told that money runs out',
  'cost below': 'agents below others spent money of their run',
  'token limit': 'an agent got its last turn for the tokens it used',
  forked: 'a run began with the history of another',
  'fork of what is over': 'a run that was over was forked',
  'fork inherited an approval': 'a run was forked in which all calls of a tool were allowed',
  'second run': 'two runs were launched in one engine',
  'recover() takes up what was left': 'a process looked for interrupted runs itself',
  'profiles from before': 'a run went on with its own profiles in a process that has others',
  'taken with a snapshot': 'a process took a run with a snapshot of its state',
  'taken with parts': 'a snapshot that a process read had parts of histories beside it',
  'profiles of today': 'a run went on with the profiles of the process that took it up',
  'state updated': 'observers changed state',
  'observer in code': 'an observer written in code changed state',
} as const;

/** The name of something simulated runs come by. */
export type Mechanism = keyof typeof mechanisms;

/** Number of times each mechanism was reached. */
export type MechanismCounts = Partial<Record<Mechanism, number>>;

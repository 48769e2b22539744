// The TypeScript sender as a program for tests: node sender.mjs <options as JSON>. Each line of standard input is a
// command, and is answered with a line. `sender-programs.ts` lists the commands. The bundle of the sender is next to a
// copy of this file.
import { createInterface } from 'node:readline';

const { EventSender } = await import(new URL('bundle.mjs', import.meta.url).href);
const losses = [];
const sender = new EventSender({ ...JSON.parse(process.argv[2]), onLoss: (loss) => losses.push(loss) });
const circle = [];
circle.push(circle);
const VALUES = {
  circle,
  unknown: 1n,
  'not finite': [Number.NaN, Number.POSITIVE_INFINITY, 1],
  'broken text': 'a\ud800b\u0000c\\u0000',
};
const COMMANDS = {
  send: ({ events }) => events.forEach((event) => sender.send(event)),
  'send value': ({ value }) => sender.send({ event_type: 'order.paid', payload: { n: 0, value: VALUES[value] } }),
  flush: ({ timeoutMs }) => sender.flush({ timeoutMs }),
  close: ({ timeoutMs }) => sender.close({ timeoutMs }),
  state: () => undefined,
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  const isDone = await COMMANDS[command.do](command);
  process.stdout.write(`${JSON.stringify({ pending: sender.pending, losses, isDone: isDone ?? null })}\n`);
}
